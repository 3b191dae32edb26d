/* Where live objects are found from: handles of every thread, global handles, the
 * runtime registers that refer to objects, and the collector's own (adopt.c). */
#ifndef HW_RUNTIME_HEAP_ROOT_H
#define HW_RUNTIME_HEAP_ROOT_H

#include "runtime/heap/object.h"

/* Visits every root, null ones excluded. */
void hw_roots_visit(hw_visit_slot *visit, void *context);

#endif
