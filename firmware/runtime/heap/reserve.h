/* Room for the result of one command, while other commands of its thread are in flight.
 *
 * Only one command at a time may use an arena (adopt.h). Commands whose result has a known size take a piece each
 * instead: out of the thread's unit arena, else out of eden, or out of the large space if the size exceeds eden's share
 * for an arena. Pieces are given back in any order. When all are back the heap is walkable, because unused memory
 * becomes filler. A collection runs only when no command is in flight, so it never meets a piece.
 */
#ifndef HW_RUNTIME_HEAP_RESERVE_H
#define HW_RUNTIME_HEAP_RESERVE_H

#include <stdbool.h>

#include "runtime/object.h"

/* In bytes. Units build objects from such an address on. */
#define HW_RESERVE_ALIGNMENT 16

enum hw_reserve_place { HW_RESERVE_ARENA, HW_RESERVE_EDEN, HW_RESERVE_LARGE };

struct hw_reserve {
    hw_ref start, limit; /* the range for the command; `start` is a multiple of HW_RESERVE_ALIGNMENT */
    hw_ref base;         /* start of the piece: `start`, or 8 bytes below */
    enum hw_reserve_place place;
};

/* Takes a piece of at least `bytes` bytes. A safepoint, which settles the commands in flight, only if there is no room
 * without one. Returns false with an exception. */
bool hw_reserve_take(struct hw_reserve *piece, uint32_t bytes);

/* Makes the objects from `start` to `top` part of the heap. No safepoint. */
void hw_reserve_commit(const struct hw_reserve *piece, hw_ref top);

/* Gives back a piece without objects. No safepoint. */
void hw_reserve_drop(const struct hw_reserve *piece);

#endif
