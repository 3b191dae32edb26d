/* Young collection: live objects of eden and of one survivor space move to the
 * other one, old enough ones (and what finds no room) to the old generation.
 *
 * The old generation must have room for everything young, and for one object more
 * (compact.c says why): collect.c sees to it. So nothing can fail half-way.
 */
#ifndef HW_RUNTIME_HEAP_YOUNG_H
#define HW_RUNTIME_HEAP_YOUNG_H

#include "runtime/heap/space.h"

/* Bytes that a young collection could move. */
static inline uint32_t hw_young_used(void)
{
    return hw_arena_used(&hw_space.eden) + hw_arena_used(&hw_space.survivor[hw_space.from]);
}

void hw_young_collect(void);

#endif
