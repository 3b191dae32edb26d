/* The copy unit: memory copied, filled and gathered at port width, coherent
 * with the core, and an atomic compare-and-swap made by the unit.
 *
 * Every function waits for the end of its command and answers an HW_STATUS_*.
 * Without the unit software does the same and counts it in `fallbacks`.
 */
#ifndef HW_COPY_COPY_H
#define HW_COPY_COPY_H

#include <stdbool.h>
#include <stdint.h>

#include "heapwire.h"

struct hw_copy_state {
    uint32_t fallbacks; /* commands that software did in the unit's stead */
};
extern struct hw_copy_state hw_copy_state;

/* Copies `length` bytes; the ranges must not overlap. */
int hw_copy(void *destination, const void *source, uint32_t length);

/* Writes the byte `value` `length` times. */
int hw_fill(void *destination, uint8_t value, uint32_t length);

/* Writes to `destination`, one after the other, the `count` aligned 16-byte words
 * whose addresses `list` (16-byte aligned) holds. Each must lie in [bound, limit),
 * else OUT_OF_BOUNDS. `in_flight` bounds the reads under way, 0: the unit's bound. */
int hw_gather(void *destination, const uint32_t *list, uint32_t count, uint32_t in_flight, uint32_t bound, uint32_t limit);

/* If *address is `expected` it becomes `value`; *old is what it was. Atomic
 * towards cores and units. */
int hw_compare_and_swap(uint32_t *address, uint32_t expected, uint32_t value, uint32_t *old);

/* Copy in the background: a tag for `hw_command_finish` and `hw_command_release`,
 * or a negative HW_SUBMIT_*, in which case nothing was started. */
int32_t hw_copy_start(void *destination, const void *source, uint32_t length);

#endif
