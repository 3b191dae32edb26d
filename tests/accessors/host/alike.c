/* Equality and hash codes field by field, by the tables of the accessors: what the generated functions must agree with.
 */
#include "driver.h"
#include "runtime/accessors/find.h"

static bool alike(hw_ref a, hw_ref b, const struct hw_message_info *info, uint32_t depth);

static bool bytes_alike(struct hw_bytes a, struct hw_bytes b) {
    return a.length == b.length && (a.length == 0 || memcmp(a.data, b.data, a.length) == 0);
}

static bool values_alike(uint64_t a, uint64_t b, const struct hw_field_info *field, uint32_t depth) {
    if (hw_value_is_bytes(field->type))
        return bytes_alike(hw_byte_string_bytes((hw_ref)a), hw_byte_string_bytes((hw_ref)b));
    if (!hw_value_is_message(field->type))
        return hw_value_canonical(a, field->type) == hw_value_canonical(b, field->type);
    return depth != 0 && alike((hw_ref)a, (hw_ref)b, field->message, depth - 1);
}

static bool fields_alike(hw_ref a, hw_ref b, const struct hw_field_info *field, uint32_t depth) {
    return values_alike(hw_field_bits(a, field), hw_field_bits(b, field), field, depth);
}

static bool maps_alike(struct hw_values a, struct hw_values b, const struct hw_message_info *info, uint32_t depth) {
    const struct hw_field_info *key = hw_entry_key_field(info), *value = hw_entry_value_field(info);
    uint32_t size = 0;

    if (depth == 0) return false;
    for (uint32_t i = 0; i < b.count; i++) size += hw_entry_counts(b, key, i);
    for (uint32_t i = 0; i < a.count; i++) {
        if (!hw_entry_counts(a, key, i)) continue;
        struct hw_map_key wanted = hw_entry_key(hw_entry_at(a, i), key);
        uint32_t other = hw_entries_find_from(b, key, &wanted, 0);
        if (other == HW_MAP_NONE || !fields_alike(hw_entry_at(a, i), hw_entry_at(b, other), value, depth - 1))
            return false;
        size--;
    }
    return size == 0;
}

static bool lists_alike(struct hw_values a, struct hw_values b, const struct hw_field_info *field, uint32_t depth) {
    uint32_t shift = hw_value_shift(field->type);

    if (a.count == 0 && b.count == 0) return true;
    if (field->flags & HW_FIELD_MAP) return maps_alike(a, b, field->message, depth);
    if (a.count != b.count) return false;
    for (uint32_t i = 0; i < a.count; i++)
        if (!values_alike(hw_value_load(a.at + (i << shift), field->type),
                          hw_value_load(b.at + (i << shift), field->type), field, depth))
            return false;
    return true;
}

static bool alike(hw_ref a, hw_ref b, const struct hw_message_info *info, uint32_t depth) {
    for (uint32_t i = 0; i < info->field_count; i++) {
        const struct hw_field_info *field = &info->fields[i];
        bool has = hw_field_has(a, info, field);

        if (field->flags & HW_FIELD_REPEATED) {
            if (!lists_alike(hw_field_elements(a, field), hw_field_elements(b, field), field, depth)) return false;
        } else if (field->flags & HW_FIELD_IMPLICIT) {
            if (!fields_alike(a, b, field, depth)) return false;
        } else if (has != hw_field_has(b, info, field) || (has && !fields_alike(a, b, field, depth))) {
            return false;
        }
    }
    return bytes_alike(hw_field_unknown(a, info), hw_field_unknown(b, info));
}

bool are_alike(hw_handle a, hw_handle b, const struct hw_message_info *info) {
    return alike(a ? a->reference : 0, b ? b->reference : 0, info, HW_MESSAGE_MAX_DEPTH);
}

static uint32_t hash_of(hw_ref message, const struct hw_message_info *info);

static uint32_t hash_of_bytes(struct hw_bytes bytes) {
    uint32_t hash = bytes.length;

    for (uint32_t i = 0; i < bytes.length; i++) hash = 31 * hash + (uint32_t)(int8_t)bytes.data[i];
    return hash;
}

static uint32_t hash_of_value(uint64_t value, const struct hw_field_info *field) {
    if (hw_value_is_bytes(field->type)) {
        uint32_t hash = hash_of_bytes(hw_byte_string_bytes((hw_ref)value));
        return hash != 0 ? hash : 1;
    }
    if (hw_value_is_message(field->type)) return hash_of((hw_ref)value, field->message);
    if (field->type == HW_TYPE_BOOL) return value ? 1231 : 1237;
    value = hw_value_canonical(value, field->type);
    return (uint32_t)value ^ (uint32_t)(value >> 32);
}

static uint32_t hash_of_list(struct hw_values values, const struct hw_field_info *field) {
    uint32_t list = 1, map = 0;

    for (uint32_t i = 0; i < values.count; i++) {
        const char *at = values.at + (i << hw_value_shift(field->type));
        if (!(field->flags & HW_FIELD_MAP)) {
            list = 31 * list + hash_of_value(hw_value_load(at, field->type), field);
        } else if (hw_entry_counts(values, hw_entry_key_field(field->message), i)) {
            const struct hw_field_info *key = hw_entry_key_field(field->message), *value = key + 1;
            hw_ref entry = hw_entry_at(values, i);
            map += hash_of_value(hw_field_bits(entry, key), key) ^ hash_of_value(hw_field_bits(entry, value), value);
        }
    }
    return field->flags & HW_FIELD_MAP ? map : list;
}

static uint32_t hash_of(hw_ref message, const struct hw_message_info *info) {
    uint32_t hash = 41;

    for (uint32_t i = 0; i < info->field_count; i++) {
        const struct hw_field_info *field = &info->fields[i];
        struct hw_values values = {0};
        bool repeated = field->flags & HW_FIELD_REPEATED;

        if (repeated) values = hw_field_elements(message, field);
        if (repeated ? values.count == 0 : !(field->flags & HW_FIELD_IMPLICIT) && !hw_field_has(message, info, field))
            continue;
        hash = 53 * (37 * hash + field->number) +
               (repeated ? hash_of_list(values, field) : hash_of_value(hw_field_bits(message, field), field));
    }
    return 29 * hash + hash_of_bytes(hw_field_unknown(message, info));
}

int32_t plain_hash(hw_handle message, const struct hw_message_info *info) {
    return (int32_t)hash_of(message ? message->reference : 0, info);
}
