/* Young collection: live objects of eden and of one survivor space move to the other survivor space. Objects that are
 * old enough, or that find no room there, move to the old generation.
 *
 * collect.c ensures that the old generation has room for everything young and for one more object (compact.c says why).
 * A young collection therefore cannot fail half-way.
 */
#ifndef HW_RUNTIME_HEAP_YOUNG_H
#define HW_RUNTIME_HEAP_YOUNG_H

#include "runtime/heap/space.h"

/* Returns the most bytes that a young collection could move. */
static inline uint32_t hw_young_used(void) {
    return hw_arena_used(&hw_space.eden) + hw_arena_used(&hw_space.survivor[hw_space.from]);
}

void hw_young_collect(void);

#endif
