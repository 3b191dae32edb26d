/* Decides which collection to run, and prepares and completes it. */
#ifndef HW_RUNTIME_HEAP_COLLECT_H
#define HW_RUNTIME_HEAP_COLLECT_H

#include <stdbool.h>

#include "runtime/object.h"

/* Stops the world and collects: young if that suffices and `full` is false. Then calls `take`, unless it is NULL,
 * before any other thread can take the free memory. Returns what `take` returned, or 0 without it. */
hw_ref hw_collect_and_take(bool full, hw_ref (*take)(uint32_t bytes), uint32_t bytes);

/* Collects, full, and takes a run of the large space. Returns 0 if there is still no room; without a collection if the
 * large space is smaller than that: a stranger's stream may ask for any size. */
hw_ref hw_collect_for_run(uint32_t bytes);

#endif
