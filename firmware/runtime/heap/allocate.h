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

/* hw_allocate when the buffer is full; out of line as a whole, so that the fast path needs no stack. */
hw_ref hw_allocate_object_slow(const struct hw_klass *klass);

/* A header, and zeros up to `limit`. */
static inline __attribute__((always_inline)) void hw_object_init(hw_ref object, hw_ref limit, const struct hw_klass *klass)
{
    uint32_t *word = hw_pointer(object), *end = hw_pointer(limit);

    word[0] = HW_OBJECT_MARK_UNLOCKED;
    word[1] = hw_reference(klass);
    for (word += 2; word != end; word += 2)
        word[0] = word[1] = 0;
}

/* As hw_allocate, for callers that want it inline. */
static inline __attribute__((always_inline)) hw_ref hw_allocate_inline(const struct hw_klass *klass)
{
    struct hw_thread *thread = hw_thread;
    uint32_t bytes = klass->object_size;
    hw_ref object = thread->buffer.top, limit = object + bytes;

    if (__builtin_expect(bytes > thread->buffer.limit - object, 0))
        return hw_allocate_object_slow(klass);
    thread->buffer.top = limit;
    hw_object_init(object, limit, klass);
    return object;
}

#endif
