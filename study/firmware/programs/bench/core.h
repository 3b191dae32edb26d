/* The parts of suite `core`. */
#ifndef HW_PROGRAMS_BENCH_CORE_H
#define HW_PROGRAMS_BENCH_CORE_H

#include "programs/bench/row.h"

#define CORE_WARM 5

/* Prints the row of a timing. */
static inline void core_report(const char *name, const char *operation, const char *engine, struct timing timing,
                               uint32_t wire_bytes, uint32_t object_bytes, bool ok) {
    row_print(&(struct row){
        .suite = "core",
        .name = name,
        .operation = operation,
        .engine = engine,
        .model = "nanopb",
        .cycles = timing.cycles,
        .cold_cycles = timing.cold_cycles,
        .instructions = timing.instructions,
        .wire_bytes = wire_bytes,
        .object_bytes = object_bytes,
        .ok = ok,
    });
}

/* Measures nanopb, and what is beside it, over five messages, in both directions. */
void core_nanopb(void);

/* Measures the peers that the program has over a message of nanopb, in both directions. type: its full name. */
void core_peers(const char *name, const char *type, const void *wire, uint32_t bytes);

#endif
