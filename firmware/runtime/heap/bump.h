/* The fast path of allocation, in line: a bump within the thread's buffer, a header, a handle. Everything else
 * is out of line, so that it needs no stack.
 *
 * Stores to the thread come before those to the object: the core's stores are gathered by blocks of memory,
 * and a change of blocks is what costs.
 */
#ifndef HW_RUNTIME_HEAP_BUMP_H
#define HW_RUNTIME_HEAP_BUMP_H

#include <stdbool.h>

#include "runtime/handle.h"
#include "runtime/klass.h"

/* hw_allocate and hw_new when the buffer is full or no handle is left. */
hw_ref hw_allocate_object_slow(const struct hw_klass *klass);
hw_handle hw_new_slow(const struct hw_klass *klass);

/* A header, and zeros up to `limit`. */
static inline __attribute__((always_inline)) void hw_object_init(hw_ref object, hw_ref limit, const struct hw_klass *klass)
{
    uint32_t *word = hw_pointer(object), *end = hw_pointer(limit);

    word[0] = HW_OBJECT_MARK_UNLOCKED;
    word[1] = hw_reference(klass);
    for (word += 2; word != end; word += 2)
        word[0] = word[1] = 0;
}

/* A new object, all zero but its header, without a handle: for code that reaches no safepoint before it has stored the
 * reference. 0 with an exception when there is no room: the heap stays usable. */
static inline __attribute__((always_inline)) hw_ref hw_allocate(const struct hw_klass *klass)
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

/* The same with a local handle; NULL with an exception when there is no room, or no handle. */
static inline __attribute__((always_inline)) hw_handle hw_new(const struct hw_klass *klass)
{
    struct hw_thread *thread = hw_thread;
    uint32_t bytes = klass->object_size, handle = thread->handles.count;
    hw_ref object = thread->buffer.top, limit = object + bytes;

    if (__builtin_expect(bytes > thread->buffer.limit - object || handle >= HW_LOCAL_HANDLES, 0))
        return hw_new_slow(klass);
    thread->buffer.top = limit;
    thread->handles.count = handle + 1;
    thread->handles.slots[handle].reference = object;
    __asm__ volatile("" ::: "memory"); /* the order above */
    hw_object_init(object, limit, klass);
    return &thread->handles.slots[handle];
}

#endif
