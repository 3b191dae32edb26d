/* Raw views of a message's fields, for walks without a safepoint. A null reference is a message without any field. */
#ifndef HW_RUNTIME_ACCESSORS_FIELDS_H
#define HW_RUNTIME_ACCESSORS_FIELDS_H

#include "runtime/accessors/info.h"
#include "runtime/accessors/value.h"
#include "runtime/message.h"

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

#endif
