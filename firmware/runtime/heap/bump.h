/* The inlined fast path of allocation: bumps the top of the thread's buffer, writes a header, makes a handle.
 * Everything else is out of line, so that the fast path needs no stack.
 *
 * Stores to the thread precede stores to the object: the core gathers stores by blocks of memory, and each change of
 * block costs time.
 */
#ifndef HW_RUNTIME_HEAP_BUMP_H
#define HW_RUNTIME_HEAP_BUMP_H

#include <stdbool.h>

#include "runtime/handle.h"
#include "runtime/klass.h"

/* hw_allocate and hw_new if the buffer is full or no handle is left. */
hw_ref hw_allocate_object_slow(const struct hw_klass *klass);
hw_handle hw_new_slow(const struct hw_klass *klass);

/* Writes the header, and zeros up to `limit`. */
static inline __attribute__((always_inline)) void hw_object_init(hw_ref object, hw_ref limit,
                                                                 const struct hw_klass *klass) {
    uint32_t *word = hw_pointer(object), *end = hw_pointer(limit);

    word[0] = HW_OBJECT_MARK_UNLOCKED;
    word[1] = hw_reference(klass);
    for (word += 2; word != end; word += 2) word[0] = word[1] = 0;
}

/* Returns a new object, all zero but its header, without a handle: for code that stores the reference before it reaches
 * a safepoint. Returns 0 with an exception if there is no room; the heap stays usable. */
static inline __attribute__((always_inline)) hw_ref hw_allocate(const struct hw_klass *klass) {
    struct hw_thread *thread = hw_thread;
    uint32_t bytes = klass->object_size;
    hw_ref object = thread->buffer.top, limit = object + bytes;

    if (__builtin_expect(bytes > thread->buffer.limit - object, 0)) return hw_allocate_object_slow(klass);
    thread->buffer.top = limit;
    hw_object_init(object, limit, klass);
    return object;
}

/* Like hw_allocate, with a local handle. Returns NULL with an exception if there is no room or no handle. */
static inline __attribute__((always_inline)) hw_handle hw_new(const struct hw_klass *klass) {
    struct hw_thread *thread = hw_thread;
    uint32_t bytes = klass->object_size, handle = thread->handles.count;
    hw_ref object = thread->buffer.top, limit = object + bytes;

    if (__builtin_expect(bytes > thread->buffer.limit - object || handle >= HW_LOCAL_HANDLES, 0))
        return hw_new_slow(klass);
    thread->buffer.top = limit;
    thread->handles.count = handle + 1;
    thread->handles.slots[handle].reference = object;
    __asm__ volatile("" ::: "memory"); /* keeps the order of stores */
    hw_object_init(object, limit, klass);
    return &thread->handles.slots[handle];
}

#endif
