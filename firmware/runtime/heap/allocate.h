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

/* Makes the rest of a thread's buffer filler. */
void hw_buffer_close(struct hw_thread *thread);

/* As hw_allocate, for callers that want it inline. */
static inline __attribute__((always_inline)) hw_ref hw_allocate_inline(const struct hw_klass *klass)
{
    struct hw_thread *thread = hw_thread;
    uint32_t bytes = klass->object_size;
    hw_ref object = thread->buffer.top;

    if (__builtin_expect(bytes <= thread->buffer.limit - object, 1)) {
        thread->buffer.top = object + bytes;
    } else {
        object = hw_allocate_slow(bytes);
        if (object == 0)
            return 0;
    }
    uint32_t *words = hw_pointer(object);

    words[0] = HW_OBJECT_MARK_UNLOCKED;
    words[1] = hw_reference(klass);
    for (uint32_t i = 2; i < bytes / 4; i += 2)
        words[i] = words[i + 1] = 0;
    return object;
}

#endif
