/* The counters of one kind of unit (heapwire.h), and of DRAM. Their names are keys of a row. */
#ifndef HW_PROGRAMS_MEASURE_COUNTS_H
#define HW_PROGRAMS_MEASURE_COUNTS_H

#include <stdint.h>

#include "heapwire.h"

/* What the shared cache moved for core and units: X(name, information word). */
#define DRAM_COUNTERS(X) X(dram_read_bytes, HW_INFO_DRAM_READS) X(dram_write_bytes, HW_INFO_DRAM_WRITES)
#define COUNTS(X) HW_BYTE_COUNTERS(X) HW_CYCLE_COUNTERS(X) DRAM_COUNTERS(X)

struct counts {
#define COUNT(name, number) uint32_t name;
    COUNTS(COUNT)
#undef COUNT
};

struct counts counts_now(uint32_t unit);

/* Returns what was counted since `before`. */
struct counts counts_since(uint32_t unit, const struct counts *before);

/* Returns the mean of `runs` runs that were counted together. */
struct counts counts_each(struct counts counts, uint32_t runs);

#endif
