/* The heap walker: parses every space and checks every header, reference, card and
 * object start. For tests and for options.verify; takes time linear in the heap.
 */
#ifndef HW_RUNTIME_HEAP_WALK_H
#define HW_RUNTIME_HEAP_WALK_H

#include "runtime/object.h"

#include <stdbool.h>

struct hw_walk {
    uint32_t objects, bytes; /* fillers excluded */
    const char *fault;       /* NULL: none */
    hw_ref object;           /* ... of this object */
    hw_ref slot;             /* ... at this address */
};

/* True if the heap is as it must be. Wants every command of a unit to have completed. */
bool hw_heap_walk(struct hw_walk *walk);

/* Calls `visit` for every object of the heap, dead ones and fillers included, in the order of addresses within a space. With the world
 * stopped (safepoint.h). False: the heap is not as it must be. */
bool hw_heap_each(void (*visit)(hw_ref object));

#endif
