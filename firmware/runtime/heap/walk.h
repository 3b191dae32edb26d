/* The heap walker: parses every space and checks every header, reference, card and object start. For tests and for
 * hw_heap_verify. Takes time linear in the size of the heap.
 */
#ifndef HW_RUNTIME_HEAP_WALK_H
#define HW_RUNTIME_HEAP_WALK_H

#include "runtime/object.h"

#include <stdbool.h>

struct hw_walk {
    uint32_t objects, bytes; /* fillers excluded */
    const char *fault;       /* NULL: none */
    hw_ref object;           /* the object with the fault */
    hw_ref slot;             /* the address of the fault */
};

/* Returns whether the heap is consistent. Every command of a unit must have completed. */
bool hw_heap_walk(struct hw_walk *walk);

/* Calls `visit` for every object of the heap, dead ones and fillers included, in the order of addresses within a space.
 * The world must be stopped (safepoint.h). Returns false if the heap is inconsistent. */
bool hw_heap_each(void (*visit)(hw_ref object));

#endif
