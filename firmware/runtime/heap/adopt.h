/* Where units build objects, and how those become the heap's.
 *
 * A thread's commands allocate in its `unit` arenas, which lie in eden; two ways
 * to get them there:
 *
 *  - HW_ADOPT_BUFFER: a unit allocation buffer. Eden hands out a chunk as it would
 *    to a thread. Before a collection the unused tails become filler.
 *  - HW_ADOPT_ARRAY: the papers' way (Wu & Schmulbach, section 3.3). A byte array
 *    is carved out of eden, a sentinel object in front of it; objects are built
 *    inside the array, the array itself is not retained. A sentinel that has moved
 *    tells that the array is gone.
 *
 *   do {
 *       if (!hw_adopt_ready(fixed, flexible) && !hw_adopt_room(fixed, flexible)) ... exception ...
 *       ... command with hw_thread->unit ...
 *   } while (arena full, and more is wanted);
 *   hw_adopt_commit(...);
 */
#ifndef HW_RUNTIME_HEAP_ADOPT_H
#define HW_RUNTIME_HEAP_ADOPT_H

#include "runtime/heap/safepoint.h"
#include "runtime/heap/space.h"

enum hw_adoption { HW_ADOPT_BUFFER, HW_ADOPT_ARRAY };

/* The way of every thread from now on; arenas that are open are closed. */
void hw_adopt_way(enum hw_adoption way);

/* Makes the current thread's unit arenas hold at least this many free bytes each, by
 * new arenas or a collection. Arenas larger than eden can give come out of the large space,
 * where what is built stays until all of it is dead. A safepoint. False with an exception. */
bool hw_adopt_room(uint32_t fixed_bytes, uint32_t flexible_bytes);

/* Whether there is room already, without a collection and without looking for more. */
static inline bool hw_adopt_ready(uint32_t fixed_bytes, uint32_t flexible_bytes)
{
    const struct hw_thread *thread = hw_thread;
    const struct hw_arenas *unit = &thread->unit;

    return unit->fixed.base && unit->flexible.base && hw_arena_free(&unit->fixed) >= fixed_bytes &&
           hw_arena_free(&unit->flexible) >= flexible_bytes && thread->sentinel == thread->sentinel_at &&
           !hw_space.options.stress && !hw_safepoint_requested;
}

/* After a command that failed: the current thread keeps no arenas in the large space, which the next
 * message would otherwise sit in. No safepoint. */
void hw_adopt_drop_large(void);

/* The large-space arenas of the current thread become part of the heap up to their tops. */
void hw_adopt_commit_large(void);

/* After a command that allocated: the arenas' new tops. Makes large-space arenas part of the heap. */
static inline void hw_adopt_commit(uint32_t fixed_top, uint32_t flexible_top)
{
    struct hw_thread *thread = hw_thread;

    thread->unit.fixed.top = fixed_top;
    thread->unit.flexible.top = flexible_top;
    if (__builtin_expect(thread->unit_large[0] || thread->unit_large[1], 0))
        hw_adopt_commit_large();
}

/* Before a collection, which calls it: closes a thread's arenas, so that the heap is walkable without
 * them. An adopted array stays open through a young collection, whose evacuation its sentinel
 * tells; a full one may slide a sentinel to where it was. */
void hw_adopt_close(struct hw_thread *thread, bool full);

#endif
