/* Marking: sets the bits of all granules of every object that is reachable from a root. */
#ifndef HW_RUNTIME_HEAP_MARK_H
#define HW_RUNTIME_HEAP_MARK_H

#include "runtime/heap/space.h"

/* Marks live objects. The mark stack is bounded; objects that do not fit on it are found by further passes over the
 * marked objects. */
void hw_mark_live(void);

/* Returns the first marked object at or after `start`, or `limit`. `start` must not be an inner granule of a marked
 * object. */
hw_ref hw_mark_next(uint32_t start, uint32_t limit);

static inline bool hw_is_marked(hw_ref object) {
    uint32_t granule = hw_granule(object);

    return hw_space.marks[granule / 32] >> granule % 32 & 1;
}

#endif
