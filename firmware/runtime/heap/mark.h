/* Marking: the bits of every granule of every object that a root leads to. */
#ifndef HW_RUNTIME_HEAP_MARK_H
#define HW_RUNTIME_HEAP_MARK_H

#include "runtime/heap/space.h"

/* Marks what is live. The stack is bounded: what does not fit is found again by passes over the marked. */
void hw_mark_live(void);

/* The first marked object at or after `start`, which is no inner granule of one; `limit` if there is none. */
hw_ref hw_mark_next(uint32_t start, uint32_t limit);

static inline bool hw_is_marked(hw_ref object)
{
    uint32_t granule = hw_granule(object);

    return hw_space.marks[granule / 32] >> granule % 32 & 1;
}

#endif
