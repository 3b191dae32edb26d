/* The copy unit copies, fills and gathers memory at port width, coherent with the core, and executes an atomic
 * compare-and-swap.
 *
 * Every function waits for its command and returns an HW_STATUS_*. Without the unit software does the same; `fallbacks`
 * counts these calls.
 */
#ifndef HW_COPY_COPY_H
#define HW_COPY_COPY_H

#include <stdbool.h>
#include <stdint.h>

#include "units/status.h"

struct hw_copy_state {
    uint32_t fallbacks; /* commands that software executed instead of the unit */
};
extern struct hw_copy_state hw_copy_state;

/* Copies `length` bytes; the ranges must not overlap. */
hw_status hw_copy(void *destination, const void *source, uint32_t length);

/* Writes the byte `value` `length` times. */
hw_status hw_fill(void *destination, uint8_t value, uint32_t length);

/* Gathers `count` aligned 16-byte words, whose addresses are in `list` (16-byte aligned), to `destination`, one after
 * the other. Each must lie in [bound, limit), else OUT_OF_BOUNDS. `in_flight` is the most reads in flight at a time; 0:
 * the unit's maximum. */
hw_status hw_gather(void *destination, const uint32_t *list, uint32_t count, uint32_t in_flight, uint32_t bound,
                    uint32_t limit);

/* Stores `value` in *address if it is `expected`. *old becomes the previous value. Atomic with respect to cores and
 * units. */
hw_status hw_compare_and_swap(uint32_t *address, uint32_t expected, uint32_t value, uint32_t *old);

/* Starts a copy in the background. Returns a tag for `hw_command_finish` and `hw_command_release`, or a negative
 * HW_SUBMIT_*, in which case nothing was started. */
int32_t hw_copy_begin(void *destination, const void *source, uint32_t length);

#endif
