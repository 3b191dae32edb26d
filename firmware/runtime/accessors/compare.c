#include "runtime/accessors/accessors.h"

#include "runtime/accessors/view.h"

static bool messages_equal(hw_ref a, hw_ref b, const struct hw_message_info *info, uint32_t depth);

static bool strings_equal(hw_ref a, hw_ref b) {
    if (a == b) return true;
    struct hw_bytes first = hw_byte_string_bytes(a), second = hw_byte_string_bytes(b);

    return first.length == second.length && (first.length == 0 || memcmp(first.data, second.data, first.length) == 0);
}

/* Compares two values as slots hold them. `depth` more messages may nest. */
static bool values_equal(uint64_t a, uint64_t b, const struct hw_field_info *field, uint32_t depth) {
    if (hw_value_is_bytes(field->type)) return strings_equal((hw_ref)a, (hw_ref)b);
    if (!hw_value_is_message(field->type))
        return hw_value_canonical(a, field->type) == hw_value_canonical(b, field->type);
    if (depth != 0) return messages_equal((hw_ref)a, (hw_ref)b, field->message, depth - 1);
    hw_exception_raise(HW_TOO_DEEP);
    return false;
}

static bool lists_equal(hw_ref a, hw_ref b, const struct hw_field_info *field, uint32_t depth) {
    struct hw_values first = hw_field_elements(a, field), second = hw_field_elements(b, field);
    uint32_t size = 1u << hw_value_shift(field->type);

    if (first.count != second.count) return false;
    for (uint32_t i = 0; i < first.count; i++)
        if (!values_equal(hw_value_load(first.at + i * size, field->type),
                          hw_value_load(second.at + i * size, field->type), field, depth))
            return false;
    return true;
}

/* Compares maps as sets of the entries that count. An absent value is the default. */
static bool maps_equal(hw_ref a, hw_ref b, const struct hw_field_info *field, uint32_t depth) {
    struct hw_values first = hw_field_elements(a, field), second = hw_field_elements(b, field);
    const struct hw_message_info *info = field->message;
    const struct hw_field_info *value = hw_entry_value_field(info);
    uint32_t sizes[2] = {0, 0};

    if (depth == 0 && (first.count != 0 || second.count != 0)) {
        hw_exception_raise(HW_TOO_DEEP);
        return false;
    }
    for (uint32_t i = 0; i < second.count; i++) sizes[1] += hw_entry_counts(second, info, i);
    for (uint32_t i = 0; i < first.count; i++) {
        if (!hw_entry_counts(first, info, i)) continue;
        hw_ref entry = hw_entry_at(first, i);
        struct hw_map_key key = hw_entry_key(entry, info);
        uint32_t other = hw_entries_find(second, info, &key, 0);
        if (other == HW_MAP_NONE || !values_equal(hw_field_bits(entry, value),
                                                  hw_field_bits(hw_entry_at(second, other), value), value, depth - 1))
            return false;
        sizes[0]++;
    }
    return sizes[0] == sizes[1];
}

static bool unknown_equal(hw_ref a, hw_ref b, const struct hw_message_info *info) {
    struct hw_bytes first = hw_field_unknown(a, info), second = hw_field_unknown(b, info);

    return first.length == second.length && (first.length == 0 || memcmp(first.data, second.data, first.length) == 0);
}

static bool field_equal(hw_ref a, hw_ref b, const struct hw_message_info *info, const struct hw_field_info *field,
                        uint32_t depth) {
    if (field->flags & HW_FIELD_MAP) return maps_equal(a, b, field, depth);
    if (field->flags & HW_FIELD_REPEATED) return lists_equal(a, b, field, depth);
    if (!(field->flags & HW_FIELD_IMPLICIT)) {
        bool has = hw_field_has(a, info, field);
        if (has != hw_field_has(b, info, field)) return false;
        if (!has) return true;
    }
    return values_equal(hw_field_bits(a, field), hw_field_bits(b, field), field, depth);
}

/* Does not shortcut a comparison of an object with itself: a message that nests too deep must fail whatever it is
 * compared with. */
static bool messages_equal(hw_ref a, hw_ref b, const struct hw_message_info *info, uint32_t depth) {
    for (uint32_t i = 0; i < info->field_count; i++)
        if (!field_equal(a, b, info, &info->fields[i], depth)) return false;
    return unknown_equal(a, b, info);
}

bool hw_message_equals(hw_handle a, hw_handle b, const struct hw_message_info *info) {
    uint32_t depth;

    return hw_message_depth(&depth) && messages_equal(a ? a->reference : 0, b ? b->reference : 0, info, depth);
}

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
