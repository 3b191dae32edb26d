/* Allocation: a thread bumps a pointer in its buffer, which is a chunk of eden. */
#ifndef HW_RUNTIME_HEAP_ALLOCATE_H
#define HW_RUNTIME_HEAP_ALLOCATE_H

#include "runtime/heap/object.h"
#include "runtime/heap/space.h"

/* Allocates `bytes` bytes, not cleared, when the thread's buffer lacks the room: from a new buffer, after a collection,
 * or from the large space. A safepoint. Returns 0 with an exception. */
hw_ref hw_allocate_slow(uint32_t bytes);

/* Takes a chunk of eden, after collections if need be. The chunk is not cleared and not walkable. Returns 0 if eden
 * cannot provide it. */
hw_ref hw_eden_take(uint32_t bytes);

/* Like hw_eden_take, but without a collection. No safepoint. */
hw_ref hw_eden_try(uint32_t bytes);

/* Makes the rest of a thread's buffer filler, and the thread has no buffer. */
void hw_buffer_close(struct hw_thread *thread);

#endif
