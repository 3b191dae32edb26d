/* Reading the slots of a message object: the functions that generated getters call.
 *
 * NULL reads as a message without any field. Pointers are valid until the next safepoint; none of these functions is
 * one.
 */
#ifndef HW_RUNTIME_ACCESSORS_READ_H
#define HW_RUNTIME_ACCESSORS_READ_H

#include "runtime/heap/heap.h"
#include "runtime/message.h"

static inline const void *hw_read_slot(hw_handle message, uint32_t offset) {
    return (const char *)hw_handle_object(message) + offset;
}

/* Returns whether hasbit `bit` of the words at `hasbits` is set. */
static inline bool hw_read_has(hw_handle message, uint32_t hasbits, uint32_t bit) {
    return message && (*(const uint32_t *)hw_read_slot(message, hasbits + bit / 32 * 4) >> bit % 32 & 1);
}

/* Returns whether member `number` is the one that is set, of the oneof with this case word. */
static inline bool hw_read_case(hw_handle message, uint32_t case_offset, uint32_t number) {
    return message && *(const uint32_t *)hw_read_slot(message, case_offset) == number;
}

static inline uint32_t hw_read_32(hw_handle message, uint32_t offset) {
    return message ? *(const uint32_t *)hw_read_slot(message, offset) : 0;
}

static inline uint64_t hw_read_64(hw_handle message, uint32_t offset) {
    return message ? *(const uint64_t *)hw_read_slot(message, offset) : 0;
}

static inline bool hw_read_bool(hw_handle message, uint32_t offset) {
    return message && *(const uint8_t *)hw_read_slot(message, offset) != 0;
}

/* Returns a string or bytes value; `absent` if there is none. */
static inline struct hw_bytes hw_read_bytes(hw_handle message, uint32_t offset, struct hw_bytes absent) {
    hw_ref string = hw_read_32(message, offset);

    return string ? hw_byte_string_bytes(string) : absent;
}

/* Returns a submessage; NULL if there is none, or with HW_STATUS_NO_HANDLE. */
static inline hw_handle hw_read_message(hw_handle message, uint32_t offset) {
    if (!message) return NULL;
    hw_ref object = message->reference;
    struct hw_handle_table *table = &hw_thread->handles;
    hw_ref reference = *(const hw_ref *)hw_pointer(object + offset);
    hw_handle handle = table->next, limit = table->limit;

    /* All loads come first: those of the reference wait for each other. */
    __asm__ volatile("" : "+r"(reference), "+r"(limit) : "r"(handle));
    if (reference == 0) return NULL;
    if (UNLIKELY(handle == limit)) return hw_handle_more(reference);
    table->next = handle + 1;
    handle->reference = reference;
    return handle;
}

/* Convert between floats and their bits, which slots and elements hold. */
static inline float hw_float(uint32_t bits) {
    union {
        uint32_t bits;
        float value;
    } both = {.bits = bits};

    return both.value;
}

static inline double hw_double(uint64_t bits) {
    union {
        uint64_t bits;
        double value;
    } both = {.bits = bits};

    return both.value;
}

static inline uint32_t hw_float_bits(float value) {
    union {
        float value;
        uint32_t bits;
    } both = {.value = value};

    return both.bits;
}

static inline uint64_t hw_double_bits(double value) {
    union {
        double value;
        uint64_t bits;
    } both = {.value = value};

    return both.bits;
}

#endif
