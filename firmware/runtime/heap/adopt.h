/* Where units build objects, and how these objects become part of the heap.
 *
 * A thread's commands allocate in its `unit` arenas, which lie in eden. There are two ways to place them there:
 *
 *   - HW_ADOPT_BUFFER: a unit allocation buffer. Eden hands out a chunk as it would
 *     to a thread. Before a collection the unused tails become filler.
 *   - HW_ADOPT_ARRAY: the papers' way (Wu & Schmulbach, section 3.3). A byte array
 *     is carved out of eden with a sentinel object in front. Objects are built
 *     inside the array; nothing retains the array itself. If the sentinel has moved,
 *     the array is gone.
 *
 *    do {
 *        if (!hw_adopt_ready(fixed) && !hw_adopt_room(fixed, 0)) ... error ...
 *        ... command with hw_thread->unit ...
 *    } while (arena full, and more is wanted);
 *    hw_adopt_commit(...);
 */
#ifndef HW_RUNTIME_HEAP_ADOPT_H
#define HW_RUNTIME_HEAP_ADOPT_H

#include <stdbool.h>

#include "runtime/heap/safepoint.h"
#include "runtime/heap/space.h"

enum hw_adoption { HW_ADOPT_BUFFER, HW_ADOPT_ARRAY };

/* Sets the way of adoption of all threads from now on. Closes arenas that are open. */
void hw_adopt_way(enum hw_adoption way);

/* Makes the current thread's unit arenas have at least this many free bytes each, by new arenas or a collection. Arenas
 * larger than eden can give come out of the large space; objects there stay until all of them are dead. A safepoint.
 * Returns false with an error. */
bool hw_adopt_room(uint32_t fixed_bytes, uint32_t flexible_bytes);

/* Returns whether the fixed arena has that much room already, and no safepoint is due. `fixed_bytes` is not 0, so a
 * closed arena has none. */
static inline bool hw_adopt_ready(uint32_t fixed_bytes) {
    return hw_arena_free(&hw_thread->unit.fixed) >= fixed_bytes && !hw_safepoint_requested;
}

/* Closes the current thread's arenas in the large space after a command failed, so that the next message does not use
 * them. No safepoint. */
void hw_adopt_drop_large(void);

/* Makes the current thread's arenas in the large space part of the heap, up to their tops. */
void hw_adopt_commit_large(void);

/* Stores the arenas' new tops after a command that allocated. Makes arenas in the large space part of the heap. */
static inline void hw_adopt_commit(uint32_t fixed_top, uint32_t flexible_top) {
    struct hw_thread *thread = hw_thread;

    thread->unit.fixed.top = fixed_top;
    thread->unit.flexible.top = flexible_top;
    if (__builtin_expect(thread->unit_large[0] || thread->unit_large[1], 0)) hw_adopt_commit_large();
}

/* Closes a thread's arenas, so that the heap is walkable. Every collection calls it first. An adopted array stays open
 * through a young collection, because its sentinel tells whether it was evacuated: hw_adopt_notice, called behind the
 * collection, closes the arenas of an array that was left behind. A full collection closes it, because it may slide a
 * sentinel to its old address. */
void hw_adopt_close(struct hw_thread *thread, bool full);
void hw_adopt_notice(void);

/* The collector's view of adoption: sentinels are roots. */
void hw_adopt_roots(hw_visit_slot *visit, void *context);

/* Returns whether `object` is an adopted array, inside which objects lie. */
bool hw_adopt_is_array(const void *object);

/* Forgets the arenas of all threads. Called by hw_heap_init. */
void hw_adopt_reset(void);

/* Room for the result of one command, while other commands of its thread are in flight.
 *
 * Only one command at a time may use an arena (adopt.h). Commands whose result has a known size take a piece each
 * instead: out of the thread's unit arena, else out of eden, or out of the large space if the size exceeds eden's share
 * for an arena. Pieces are given back in any order. When all are back the heap is walkable, because unused memory
 * becomes filler. A collection runs only when no command is in flight, so it never meets a piece.
 */

/* In bytes. Units build objects from such an address on. */
#define HW_RESERVE_ALIGNMENT 16

enum hw_reserve_place { HW_RESERVE_ARENA, HW_RESERVE_EDEN, HW_RESERVE_LARGE };

struct hw_reserve {
    hw_ref start, limit; /* the range for the command; `start` is a multiple of HW_RESERVE_ALIGNMENT */
    hw_ref base;         /* start of the piece: `start`, or 8 bytes below */
    enum hw_reserve_place place;
};

/* Takes a piece of at least `bytes` bytes. A safepoint, which settles the commands in flight, only if there is no room
 * without one. Returns false with an error. */
bool hw_reserve_take(struct hw_reserve *piece, uint32_t bytes);

/* Makes the objects from `start` to `top` part of the heap. No safepoint. */
void hw_reserve_commit(const struct hw_reserve *piece, hw_ref top);

/* Gives back a piece without objects. No safepoint. */
void hw_reserve_drop(const struct hw_reserve *piece);

#endif
