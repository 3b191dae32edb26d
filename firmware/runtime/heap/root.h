/* The roots: local handles of every thread, global handles, the runtime registers that refer to objects, ranges that a
 * program declares, and the sentinels of adopted arrays (adopt.c). */
#ifndef HW_RUNTIME_HEAP_ROOT_H
#define HW_RUNTIME_HEAP_ROOT_H

#include "runtime/heap/object.h"

/* A table of references that a program keeps outside the heap for a while, such as a reader's table of the objects it
 * has read. Words that are not aligned as references are ignored, so the program may put marks of its own there. */
struct hw_root_range {
    struct hw_root_range *next;
    hw_ref *base;
    uint32_t count;
};

/* Declares the first `count` words of the range to be roots until the range is removed. hw_heap_init removes all
 * ranges. */
void hw_root_range_add(struct hw_root_range *range);
void hw_root_range_remove(struct hw_root_range *range);
void hw_root_ranges_reset(void);

/* Visits every root but null references. */
void hw_roots_visit(hw_visit_slot *visit, void *context);

#endif
