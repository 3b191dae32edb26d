/* Field values as slots and array elements hold them. */
#ifndef HW_RUNTIME_ACCESSORS_VALUE_H
#define HW_RUNTIME_ACCESSORS_VALUE_H

#include "runtime/descriptor.h"

static inline bool hw_value_is_bytes(uint32_t type) { return type == HW_TYPE_STRING || type == HW_TYPE_BYTES; }

static inline bool hw_value_is_message(uint32_t type) { return type == HW_TYPE_MESSAGE || type == HW_TYPE_GROUP; }

static inline bool hw_value_is_reference(uint32_t type) { return hw_value_is_bytes(type) || hw_value_is_message(type); }

/* Returns the bits of a value; for a reference, the address. */
static inline uint64_t hw_value_load(const void *at, uint32_t type) {
    switch (hw_value_shift(type)) {
        case 0:
            return *(const uint8_t *)at;
        case 2:
            return *(const uint32_t *)at;
        default:
            return *(const uint64_t *)at;
    }
}

/* Stores a value. Not for references, which hw_set must store. */
static inline void hw_value_store(void *at, uint32_t type, uint64_t bits) {
    switch (hw_value_shift(type)) {
        case 0:
            *(uint8_t *)at = bits != 0;
            break;
        case 2:
            *(uint32_t *)at = (uint32_t)bits;
            break;
        default:
            *(uint64_t *)at = bits;
    }
}

#endif
