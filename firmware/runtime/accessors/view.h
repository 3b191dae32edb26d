/* Raw values, fields and map entries, for walks without a safepoint, and how deep such walks may go. A null reference
 * is a message without any field. */
#ifndef HW_RUNTIME_ACCESSORS_VIEW_H
#define HW_RUNTIME_ACCESSORS_VIEW_H

#include <string.h>

#include "runtime/accessors/list.h"
#include "runtime/descriptor.h"
#include "runtime/thread.h"

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

/* The values of a field, one after the other. */
struct hw_values {
    const char *at;
    uint32_t count;
};

static inline struct hw_values hw_field_elements(hw_ref message, const struct hw_field_info *field) {
    hw_ref slot = message ? *(const hw_ref *)hw_pointer(message + field->offset) : 0;
    const struct hw_array_list *list = hw_pointer(slot);

    if (!list || list->array == 0) return (struct hw_values){0};
    return (struct hw_values){(const char *)hw_array_bytes(list->array), list->count};
}

static inline bool hw_field_has(hw_ref message, const struct hw_message_info *info, const struct hw_field_info *field) {
    const uint32_t *words = hw_pointer(message + info->hasbits);

    if (field->case_offset)
        return message && *(const uint32_t *)hw_pointer(message + field->case_offset) == field->number;
    return message && (words[field->hasbit / 32] >> field->hasbit % 32 & 1);
}

/* Returns the bits of a singular field; 0 if the message is null. */
static inline uint64_t hw_field_bits(hw_ref message, const struct hw_field_info *field) {
    return message ? hw_value_load(hw_pointer(message + field->offset), field->type) : 0;
}

/* Returns the bytes of the unknown fields. */
static inline struct hw_bytes hw_field_unknown(hw_ref message, const struct hw_message_info *info) {
    hw_ref slot = message ? *(const hw_ref *)hw_pointer(message + info->unknown_fields) : 0;
    const struct hw_array_list *list = hw_pointer(slot);

    if (!list || list->array == 0) return (struct hw_bytes){0};
    return (struct hw_bytes){hw_array_bytes(list->array), list->count};
}

/* Makes all NaNs equal, as Float.floatToIntBits and Double.doubleToLongBits do. */
static inline uint64_t hw_value_canonical(uint64_t bits, uint32_t type) {
    if (type == HW_TYPE_FLOAT && (bits & 0x7fffffff) > 0x7f800000) return 0x7fc00000;
    if (type == HW_TYPE_DOUBLE && (bits & INT64_MAX) > UINT64_C(0x7ff0000000000000))
        return UINT64_C(0x7ff8000000000000);
    return bits;
}

/* The key and value fields of an entry. Fields are sorted by number. */
static inline const struct hw_field_info *hw_entry_key_field(const struct hw_message_info *entry) {
    return &entry->fields[0];
}

static inline const struct hw_field_info *hw_entry_value_field(const struct hw_message_info *entry) {
    return &entry->fields[1];
}

static inline hw_ref hw_entry_at(struct hw_values entries, uint32_t index) {
    return ((const hw_ref *)(const void *)entries.at)[index];
}

/* Limits how deep the walks over messages recurse. A level takes little stack, because raw references are its only
 * arguments, but a sender may nest messages as deep as it likes. */

/* The most stack, in bytes, that a level of equals, hash code or is-initialized takes. */
#define HW_MESSAGE_STACK 416

/* Stores how many messages may nest within the root: HW_MESSAGE_MAX_DEPTH, or what fits on the thread's stack. Returns
 * false with HW_STATUS_DEPTH_EXCEEDED if not even the root fits. */
static inline bool hw_message_depth(uint32_t *depth) {
    uint32_t levels = hw_stack_levels(HW_MESSAGE_MAX_DEPTH + 1, HW_MESSAGE_STACK);

    *depth = levels - 1;
    if (levels == 0) hw_error_raise(HW_STATUS_DEPTH_EXCEEDED);
    return levels != 0;
}

#endif
