/* The collector. A collection is young if that suffices, else full. */
#ifndef HW_RUNTIME_HEAP_COLLECT_H
#define HW_RUNTIME_HEAP_COLLECT_H

#include "runtime/heap/space.h"

/* Stops the world and collects: young if that suffices and `full` is false. Then calls `take`, unless it is NULL,
 * before any other thread can take the free memory. Returns what `take` returned, or 0 without it. */
hw_ref hw_collect_and_take(bool full, hw_ref (*take)(uint32_t bytes), uint32_t bytes);

/* Collects, full, and takes a run of the large space. Returns 0 if there is still no room; without a collection if the
 * large space is smaller than that: a stranger's stream may ask for any size. */
hw_ref hw_collect_for_run(uint32_t bytes);

/* Returns the most bytes that a young collection could move. */
static inline uint32_t hw_young_used(void) {
    return hw_arena_used(&hw_space.eden) + hw_arena_used(&hw_space.survivor[hw_space.from]);
}

void hw_young_collect(void);

/* Runs a full collection. With `clear_metadata`, clears the serialization metadata of every object. */
void hw_compact(bool clear_metadata);

/* Sets the bits of all granules of every object that is reachable from a root. The mark stack is bounded; objects that
 * do not fit on it are found by further passes over the marked objects. */
void hw_mark_live(void);

/* Returns the first marked object at or after `start`, or `limit`. `start` must not be an inner granule of a marked
 * object. */
hw_ref hw_mark_next(uint32_t start, uint32_t limit);

static inline bool hw_is_marked(hw_ref object) {
    uint32_t granule = hw_granule(object);

    return hw_space.marks[granule / 32] >> granule % 32 & 1;
}

#endif
