#include <string.h>

#include "runtime/accessors/compare.h"
#include "runtime/accessors/depth.h"
#include "runtime/accessors/entries.h"

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
        uint32_t other = hw_entries_find(second, info, hw_entry_key(entry, info), 0);
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
