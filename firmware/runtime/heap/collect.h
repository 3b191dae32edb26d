/* When to collect, and what around it. */
#ifndef HW_RUNTIME_HEAP_COLLECT_H
#define HW_RUNTIME_HEAP_COLLECT_H

#include <stdbool.h>

/* Stops the world and collects: young if that suffices and `full` is false. */
void hw_collect_now(bool full, bool clear_metadata);

#endif
