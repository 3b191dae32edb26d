/* Room for what one command builds, while others of its thread are in flight.
 *
 * An arena (adopt.h) is one command's at a time. Commands whose result has a known size take a piece each: out of the
 * thread's unit arena, else of eden, and the large space for more than eden gives an arena. Pieces are given back in any
 * order, and the heap is walkable when none is out: what is not used becomes filler. A collection comes only when no
 * command is in flight, so no piece ever meets one.
 */
#ifndef HW_RUNTIME_HEAP_RESERVE_H
#define HW_RUNTIME_HEAP_RESERVE_H

#include <stdbool.h>

#include "runtime/object.h"

/* Units build from multiples of 16. */
#define HW_RESERVE_ALIGNMENT 16

enum hw_reserve_place { HW_RESERVE_ARENA, HW_RESERVE_EDEN, HW_RESERVE_LARGE };

struct hw_reserve {
    hw_ref start, limit; /* for the command; `start` is a multiple of HW_RESERVE_ALIGNMENT */
    hw_ref base;         /* of the piece: 8 bytes below, or `start` */
    enum hw_reserve_place place;
};

/* At least `bytes` bytes. A safepoint, which settles what is in flight, only if there is no room as it is. False with
 * an exception. */
bool hw_reserve_take(struct hw_reserve *piece, uint32_t bytes);

/* Objects lie from `start` to `top`: they are the heap's. No safepoint. */
void hw_reserve_commit(const struct hw_reserve *piece, hw_ref top);

/* Nothing has been built. No safepoint. */
void hw_reserve_drop(const struct hw_reserve *piece);

#endif
