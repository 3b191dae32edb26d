/* The counters of one kind of unit, and of DRAM. */
#ifndef HW_PROGRAMS_MEASURE_COUNTS_H
#define HW_PROGRAMS_MEASURE_COUNTS_H

#include <stdint.h>

struct counts {
    /* of the units */
    uint32_t read_bytes, written_bytes, busy_cycles, read_stall_cycles, table_stall_cycles, write_stall_cycles;
    uint32_t dram_read_bytes, dram_written_bytes; /* what the shared cache moved for core and units */
};

struct counts counts_now(uint32_t unit);

/* Returns what was counted since `before`. */
struct counts counts_since(uint32_t unit, const struct counts *before);

#endif
