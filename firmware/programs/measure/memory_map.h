/* The load region: a buffer for the host and, at its end, two places for schema blobs, so that a rejected blob does not
 * overwrite the one in force. */
#ifndef HW_PROGRAMS_MEASURE_MEMORY_MAP_H
#define HW_PROGRAMS_MEASURE_MEMORY_MAP_H

#include <stdbool.h>

#include "records/schema.h"
#include "runtime/regions.h"
#include "runtime/schema.h"

#define SCHEMA_AREA_BYTES \
    ((HW_LOAD_BYTES / 8 < SCHEMA_MAX_BYTES ? HW_LOAD_BYTES / 8 : SCHEMA_MAX_BYTES) & ~(uint32_t)(SCHEMA_ALIGNMENT - 1))
#define SCHEMA_AREA(index) (HW_LOAD_BASE + HW_LOAD_BYTES - (2 - (index)) * SCHEMA_AREA_BYTES)
#define BUFFER_BASE HW_LOAD_BASE
#define BUFFER_LIMIT SCHEMA_AREA(0)

/* Returns whether `length` bytes at `address` lie in [base, limit). */
static inline bool range_within(uint32_t address, uint32_t length, uint32_t base, uint32_t limit) {
    return address >= base && address <= limit && length <= limit - address;
}

#endif
