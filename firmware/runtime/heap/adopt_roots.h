/* The collector's view of adoption: sentinels are roots. */
#ifndef HW_RUNTIME_HEAP_ADOPT_ROOTS_H
#define HW_RUNTIME_HEAP_ADOPT_ROOTS_H

#include <stdbool.h>

#include "runtime/heap/object.h"

void hw_adopt_roots(hw_visit_slot *visit, void *context);

/* Returns whether `object` is an adopted array, inside which objects lie. */
bool hw_adopt_is_array(const void *object);

/* Forgets the arenas of all threads. Called by hw_heap_init. */
void hw_adopt_reset(void);

#endif
