/* Allocation: a thread bumps a pointer in its buffer, a chunk of eden. */
#ifndef HW_RUNTIME_HEAP_ALLOCATE_H
#define HW_RUNTIME_HEAP_ALLOCATE_H

#include "runtime/heap/object.h"
#include "runtime/heap/space.h"

/* `bytes` bytes, not cleared, outside any thread's buffer: by a new buffer, a collection, or from the
 * large space. A safepoint. 0 with an exception. */
hw_ref hw_allocate_slow(uint32_t bytes);

/* A chunk of eden, after collections if need be, not cleared and not walkable; 0 if eden cannot have it. */
hw_ref hw_eden_take(uint32_t bytes);

/* The same without a collection, if eden has it as it is. No safepoint. */
hw_ref hw_eden_try(uint32_t bytes);

/* Makes the rest of a thread's buffer filler. */
void hw_buffer_close(struct hw_thread *thread);

#endif
