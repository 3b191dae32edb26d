/* Results: JSON lines on the console (DESIGN of the rows: docs/firmware_build.md). */
#ifndef HW_PROGRAMS_BENCH_ROW_H
#define HW_PROGRAMS_BENCH_ROW_H

#include <stdbool.h>
#include <stdint.h>

/* A row's status beyond HW_STATUS_*; ENGINE_NANOPB_ERROR is 255. Neither row is ok. */
#define ROW_NO_CODE 254 /* the engine has no code, or no table, for the type: nothing was run */
#define ROW_NO_INPUT 252 /* nothing to serialize: software refuses the message */
#define ROW_NO_ROOM 253 /* nothing to compare: nanopb's encoding does not fit, or failed */

extern char layout[]; /* link.ld: the link layout's number is its address */

/* That number: 0 in an image of one layout. */
uint32_t row_layout(void);

struct row {
    const char *suite, *name, *operation, *engine, *model;
    uint32_t cycles, cold_cycles, instructions; /* cold_cycles 0: not measured */
    uint32_t began; /* the cycle in which what was timed began; printed if it is told */
    uint32_t wire_bytes, object_bytes, read_bytes, write_bytes;
    uint32_t busy_cycles, read_stall_cycles, write_stall_cycles; /* of the unit; printed if it was busy */
    uint32_t table_stall_cycles; /* part of read_stall_cycles */
    uint32_t dram_read_bytes, dram_write_bytes; /* of the shared cache; printed if there are any */
    uint32_t fallbacks;
    uint32_t collections; /* within what was timed; printed if there are any */
    uint32_t digest; /* of the bytes written; printed if there are any */
    uint32_t status; /* HW_STATUS_* or one of the above, 0 where there is none */
    bool ok;         /* the result was compared and is right */
};

/* Prints a row; one that is not ok makes bench_exit_code 1. */
void row_print(const struct row *row);

/* 0, or 1 after a row that was not ok. */
int bench_exit_code(void);

#endif
