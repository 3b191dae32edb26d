/* Writing new objects into memory that was just taken from the heap. Several objects may be taken at once: then they
 * can refer to each other, since there is no safepoint between them. A new object needs no barrier before the next
 * safepoint: it is young, or large with all its cards dirty. */
#ifndef HW_RUNTIME_ACCESSORS_FRESH_H
#define HW_RUNTIME_ACCESSORS_FRESH_H

#include <string.h>

#include "runtime/accessors/arenas.h"
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

/* The same beside a message: in the heap, or in its arenas. */
static inline hw_ref hw_object_take_beside(hw_handle message, uint32_t bytes) {
    return hw_object_in_heap(message->reference) ? hw_object_take(bytes) : hw_arenas_take(message, bytes);
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

/* Returns the first `count` bytes, 1 to 3, as a word with zeros behind them. */
ALWAYS_INLINE uint32_t hw_object_last_word(const uint8_t *from, uint32_t count) {
    uint32_t word = from[0];

    if (count > 1) word |= (uint32_t)from[1] << 8;
    return count > 2 ? word | (uint32_t)from[2] << 16 : word;
}

/* Copies the bytes of a new array, and zeros behind them to a multiple of 8 bytes. Stores words, as bytes take as long;
 * calls memcpy for bytes that do not begin with a word. */
ALWAYS_INLINE void hw_object_fill(uint32_t *words, const uint8_t *from, uint32_t length) {
    uint32_t *end = words + (length + 7) / 8 * 2;

    if (UNLIKELY((uintptr_t)from % 4 != 0 && length >= 16)) {
        end[-1] = end[-2] = 0;
        memcpy(words, from, length);
        return;
    }
    if (LIKELY((uintptr_t)from % 4 == 0))
        for (; length >= 4; length -= 4, from += 4) *words++ = *(const uint32_t *)(const void *)from;
    else
        for (; length >= 4; length -= 4, from += 4) *words++ = hw_object_last_word(from, 3) | (uint32_t)from[3] << 24;
    if (length != 0) *words++ = hw_object_last_word(from, length);
    if (words != end) *words = 0;
}

/* Writes a byte string and its array. */
ALWAYS_INLINE void hw_object_write_bytes(hw_ref at, const void *data, uint32_t length) {
    struct hw_byte_string *string = hw_pointer(at);
    struct hw_array *array = (struct hw_array *)(string + 1);

    string->header = (struct hw_object){HW_OBJECT_MARK_UNLOCKED, hw_registers[HW_REG_KLASS_BYTE_STRING]};
    string->hash = 0;
    string->bytes = hw_reference(array);
    array->header = (struct hw_object){HW_OBJECT_MARK_UNLOCKED, hw_registers[HW_REG_KLASS_BYTE_ARRAY]};
    array->length = length;
    array->padding = 0;
    hw_object_fill((uint32_t *)(void *)array->elements, data, length);
}

/* The same, not inlined. */
void hw_object_put_bytes(hw_ref at, const void *data, uint32_t length);

#endif
