/* Where live objects are found from: handles of every thread, global handles, the
 * runtime registers that refer to objects, and the collector's own (adopt.c). */
#ifndef HW_RUNTIME_HEAP_ROOT_H
#define HW_RUNTIME_HEAP_ROOT_H

#include "runtime/heap/object.h"

/* A table of references that a program keeps outside the heap for a while, as a reader does of the objects it
 * has read. Words that are not aligned as references are do not count: the program may put its own marks there. */
struct hw_root_range {
    struct hw_root_range *next;
    hw_ref *base;
    uint32_t count;
};

/* From now on the first `count` words of the range are roots, until it is removed. What hw_heap_init drops, too. */
void hw_root_range_add(struct hw_root_range *range);
void hw_root_range_remove(struct hw_root_range *range);
void hw_root_ranges_reset(void);

/* Visits every root, null ones excluded. */
void hw_roots_visit(hw_visit_slot *visit, void *context);

#endif
