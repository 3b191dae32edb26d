/* When to collect, and what around it. */
#ifndef HW_RUNTIME_HEAP_COLLECT_H
#define HW_RUNTIME_HEAP_COLLECT_H

#include <stdbool.h>

#include "runtime/object.h"

/* Stops the world and collects: young if that suffices and `full` is false. Then calls `take`, unless it
 * is NULL, before any other thread can have the room: its answer is the result, else 0. */
hw_ref hw_collect_and_take(bool full, hw_ref (*take)(uint32_t bytes), uint32_t bytes);

#endif
