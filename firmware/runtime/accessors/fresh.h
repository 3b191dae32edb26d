/* Writing new objects into memory that was just taken from the heap. Several objects may be taken at once: then they
 * can refer to each other, since there is no safepoint between them. A new object needs no barrier before the next
 * safepoint: it is young, or large with all its cards dirty. */
#ifndef HW_RUNTIME_ACCESSORS_FRESH_H
#define HW_RUNTIME_ACCESSORS_FRESH_H

#include <string.h>

#include "runtime/accessors/build.h"
#include "runtime/compiler.h"
#include "runtime/heap/space.h"
#include "runtime/registers.h"

/* Takes `bytes` bytes for objects that the caller writes before the next safepoint. Returns 0 with an error. A
 * safepoint. */
static inline hw_ref hw_object_take(uint32_t bytes) {
    struct hw_thread *thread = hw_thread;
    hw_ref taken = thread->buffer.top;

    if (UNLIKELY(bytes > thread->buffer.limit - taken)) return hw_allocate_slow(bytes);
    thread->buffer.top = taken + bytes;
    return taken;
}

/* Writes a message of `size` bytes, with these bits in the first of `words` words of hasbits, and without any value.
 * Goes in the order of addresses, because the core gathers stores by blocks of memory. The memoized values and the
 * unknown fields follow the hasbits. */
ALWAYS_INLINE void hw_object_write_message(hw_ref message, uint32_t size, uint32_t words, const struct hw_klass *klass,
                                           uint32_t hasbits) {
    uint32_t *word = hw_pointer(message), *end = hw_pointer(message + size);
    uint32_t unknown = hw_registers[HW_REG_UNKNOWN_FIELDS];

    word[0] = HW_OBJECT_MARK_UNLOCKED;
    word[1] = hw_reference(klass);
    word += 2;
    if (words != 0) *word++ = hasbits;
    for (uint32_t i = 1; UNLIKELY(i < words); i++) *word++ = 0;
    word[0] = word[1] = HW_OBJECT_MEMO_UNSET;
    word[2] = unknown;
    word += 3;
    if (words % 2 == 0) *word++ = 0; /* to a multiple of 8 bytes, as `size` is */
    for (; word != end; word += 2) word[0] = word[1] = 0;
}

/* hw_object_new_message of a thread without room in its buffer, or without handles. */
hw_handle hw_object_new_message_slowly(const struct hw_message_info *info, const struct hw_klass *klass, hw_ref *made);

/* Returns a handle on a new message without any field, and stores its reference to `*made`. Returns NULL with an
 * error. `size` and `words` are info's. Stores to the thread precede stores to the object, as in hw_new. */
ALWAYS_INLINE hw_handle hw_object_new_message(const struct hw_message_info *info, uint32_t size, uint32_t words,
                                              hw_ref *made) {
    const struct hw_klass *klass = hw_message_klass_of(info);
    struct hw_thread *thread = hw_thread;
    hw_handle handle = thread->handles.next;
    hw_ref message = thread->buffer.top;

    if (UNLIKELY(!klass)) return NULL;
    if (UNLIKELY(size > thread->buffer.limit - message || handle == thread->handles.limit))
        return hw_object_new_message_slowly(info, klass, made);
    thread->buffer.top = message + size;
    thread->handles.next = handle + 1;
    handle->reference = message;
    __asm__ volatile("" ::: "memory"); /* keeps the order of stores */
    hw_object_write_message(message, size, words, klass, 0);
    *made = message;
    return handle;
}

/* Byte strings of at most so many bytes are not large, and may be taken together with other objects. */
#define HW_OBJECT_SHORT 128u

/* hw_object_new_bytes for any length. */
hw_ref hw_object_new_long_bytes(const void *data, uint32_t length);

/* Returns the bytes that a byte string and its array take together. */
static inline uint32_t hw_object_bytes_size(uint32_t length) {
    return sizeof(struct hw_byte_string) + sizeof(struct hw_array) + hw_object_round(length);
}

/* Writes a byte string and its array. */
static inline void hw_object_write_bytes(hw_ref at, const void *data, uint32_t length) {
    struct hw_byte_string *string = hw_pointer(at);
    struct hw_array *array = (struct hw_array *)(string + 1);
    uint32_t *words = (uint32_t *)(void *)array->elements;
    const uint8_t *from = data;

    string->header = (struct hw_object){HW_OBJECT_MARK_UNLOCKED, hw_registers[HW_REG_KLASS_BYTE_STRING]};
    string->hash = 0;
    string->bytes = hw_reference(array);
    array->header = (struct hw_object){HW_OBJECT_MARK_UNLOCKED, hw_registers[HW_REG_KLASS_BYTE_ARRAY]};
    array->length = length;
    array->padding = 0;
    if (length % 8 != 0) words[length / 8 * 2] = words[length / 8 * 2 + 1] = 0;
    if ((uintptr_t)from % 4 != 0 && length >= 16) {
        memcpy(words, from, length);
        return;
    }
    if ((uintptr_t)from % 4 == 0)
        for (; length >= 4; length -= 4, from += 4) *words++ = *(const uint32_t *)(const void *)from;
    for (uint8_t *bytes = (uint8_t *)words; length != 0; length--) *bytes++ = *from++;
}

#endif
