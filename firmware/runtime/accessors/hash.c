#include "runtime/accessors/compare.h"
#include "runtime/accessors/depth.h"
#include "runtime/accessors/entries.h"

/* Once `too_deep` is set it stays set. The walk then ends soon and its hash is not used. */
static uint32_t message_hash(hw_ref message, const struct hw_message_info *info, uint32_t depth, bool *too_deep);

static uint32_t bytes_hash(struct hw_bytes bytes) {
    uint32_t hash = bytes.length;

    for (uint32_t i = 0; i < bytes.length; i++) hash = 31 * hash + (uint32_t)(int8_t)bytes.data[i];
    return hash;
}

/* Returns ByteString.hashCode(). It is never 0, because 0 in the object stands for a hash that is not computed yet. */
static uint32_t string_hash(hw_ref reference) {
    struct hw_byte_string *string = hw_pointer(reference);
    struct hw_bytes bytes = hw_byte_string_bytes(reference);
    uint32_t hash;

    if (string && string->hash != 0) return (uint32_t)string->hash;
    hash = bytes_hash(bytes);
    if (hash == 0) hash = 1;
    if (string) string->hash = (int32_t)hash;
    return hash;
}

static uint32_t value_hash(uint64_t value, const struct hw_field_info *field, uint32_t depth, bool *too_deep) {
    if (hw_value_is_bytes(field->type)) return string_hash((hw_ref)value);
    if (field->type == HW_TYPE_BOOL) return value ? 1231 : 1237;
    if (!hw_value_is_message(field->type)) {
        value = hw_value_canonical(value, field->type);
        return (uint32_t)value ^ (uint32_t)(value >> 32);
    }
    if (depth != 0 && !*too_deep) return message_hash((hw_ref)value, field->message, depth - 1, too_deep);
    *too_deep = true;
    return 0;
}

static uint32_t list_hash(struct hw_values values, const struct hw_field_info *field, uint32_t depth, bool *too_deep) {
    uint32_t hash = 1, size = 1u << hw_value_shift(field->type);

    for (uint32_t i = 0; i < values.count; i++)
        hash = 31 * hash + value_hash(hw_value_load(values.at + i * size, field->type), field, depth, too_deep);
    return hash;
}

/* Does not depend on the order of entries, like the hash code of java.util.Map. */
static uint32_t map_hash(struct hw_values entries, const struct hw_field_info *field, uint32_t depth, bool *too_deep) {
    const struct hw_field_info *key = hw_entry_key_field(field->message), *value = hw_entry_value_field(field->message);
    uint32_t hash = 0;

    *too_deep |= depth == 0;
    for (uint32_t i = 0; i < entries.count && !*too_deep; i++)
        if (hw_entry_counts(entries, field->message, i)) {
            hw_ref entry = hw_entry_at(entries, i);
            hash += value_hash(hw_field_bits(entry, key), key, depth - 1, too_deep) ^
                    value_hash(hw_field_bits(entry, value), value, depth - 1, too_deep);
        }
    return hash;
}

static uint32_t message_hash(hw_ref message, const struct hw_message_info *info, uint32_t depth, bool *too_deep) {
    uint32_t hash = 41;

    for (uint32_t i = 0; i < info->field_count; i++) {
        const struct hw_field_info *field = &info->fields[i];
        uint32_t value;

        if (field->flags & HW_FIELD_REPEATED) {
            struct hw_values values = hw_field_elements(message, field);
            if (values.count == 0) continue;
            value = (field->flags & HW_FIELD_MAP ? map_hash : list_hash)(values, field, depth, too_deep);
        } else {
            if (!(field->flags & HW_FIELD_IMPLICIT) && !hw_field_has(message, info, field)) continue;
            value = value_hash(hw_field_bits(message, field), field, depth, too_deep);
        }
        hash = 53 * (37 * hash + field->number) + value;
    }
    return 29 * hash + bytes_hash(hw_field_unknown(message, info));
}

int32_t hw_message_hash_code(hw_handle message, const struct hw_message_info *info) {
    bool too_deep = false;
    uint32_t depth;

    if (!hw_message_depth(&depth)) return 0;
    uint32_t hash = message_hash(message ? message->reference : 0, info, depth, &too_deep);

    if (too_deep) hw_exception_raise(HW_TOO_DEEP);
    return too_deep ? 0 : (int32_t)hash;
}
