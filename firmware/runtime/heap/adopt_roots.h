/* What the collector knows of adoption: the sentinels are roots. */
#ifndef HW_RUNTIME_HEAP_ADOPT_ROOTS_H
#define HW_RUNTIME_HEAP_ADOPT_ROOTS_H

#include <stdbool.h>

#include "runtime/heap/object.h"

void hw_adopt_roots(hw_visit_slot *visit, void *context);

/* True if `object` is an adopted array: objects lie within it. */
bool hw_adopt_is_array(const void *object);

/* No thread has arenas: hw_heap_init calls it. */
void hw_adopt_reset(void);

#endif
