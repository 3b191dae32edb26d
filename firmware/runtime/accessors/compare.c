#include "runtime/accessors/accessors.h"

#include "runtime/accessors/find.h"
#include "runtime/compiler.h"

static bool messages_equal(hw_ref a, hw_ref b, const struct hw_message_info *info, uint32_t depth);

/* Compares arrays by words: their elements are aligned. The last word is loaded whole. Views may begin anywhere. */
static bool bytes_equal(const uint8_t *a, const uint8_t *b, uint32_t length) {
    const uint32_t *first = (const uint32_t *)(const void *)a, *second = (const uint32_t *)(const void *)b;

    if (UNLIKELY(((uintptr_t)a | (uintptr_t)b) % 4 != 0)) return length == 0 || memcmp(a, b, length) == 0;
    for (; length >= 4; length -= 4)
        if (*first++ != *second++) return false;
    return length == 0 || (*first ^ *second) << (32 - 8 * length) == 0;
}

static bool strings_equal(hw_ref a, hw_ref b) {
    struct hw_bytes first = hw_byte_string_bytes(a), second = hw_byte_string_bytes(b);

    return first.length == second.length && bytes_equal(first.data, second.data, first.length);
}

/* Compares two values as slots hold them, which are not the same bits. `depth` more messages may nest. */
static bool values_alike(uint64_t a, uint64_t b, const struct hw_field_info *field, uint32_t depth) {
    if (hw_value_is_bytes(field->type)) return strings_equal((hw_ref)a, (hw_ref)b);
    if (!hw_value_is_message(field->type))
        return hw_value_canonical(a, field->type) == hw_value_canonical(b, field->type);
    if (depth != 0) return messages_equal((hw_ref)a, (hw_ref)b, field->message, depth - 1);
    hw_error_raise(HW_STATUS_DEPTH_EXCEEDED);
    return false;
}

/* Compares two slots or elements. Does not shortcut a comparison of a message with itself: one that nests too deep must
 * fail whatever it is compared with. */
static inline bool slots_equal(const void *a, const void *b, const struct hw_field_info *field, uint32_t depth) {
    uint32_t type = field->type;

    if (hw_value_shift(type) == 3) {
        uint64_t first = *(const uint64_t *)a, second = *(const uint64_t *)b;
        return first == second || values_alike(first, second, field, depth);
    }
    if (type == HW_TYPE_BOOL) return *(const uint8_t *)a == *(const uint8_t *)b;
    uint32_t first = *(const uint32_t *)a, second = *(const uint32_t *)b;

    return (first == second && !hw_value_is_message(type)) || values_alike(first, second, field, depth);
}

static bool lists_equal(struct hw_values a, struct hw_values b, const struct hw_field_info *field, uint32_t depth) {
    uint32_t size = 1u << hw_value_shift(field->type);

    for (uint32_t i = 0; i < a.count; i++)
        if (!slots_equal(a.at + i * size, b.at + i * size, field, depth)) return false;
    return true;
}

static bool fields_equal(hw_ref a, hw_ref b, const struct hw_field_info *field, uint32_t depth) {
    if (a && b) return slots_equal(hw_pointer(a + field->offset), hw_pointer(b + field->offset), field, depth);
    return values_alike(hw_field_bits(a, field), hw_field_bits(b, field), field, depth);
}

/* Returns how many entries lead both lists with the same keys and values. */
static uint32_t same_entries(struct hw_values a, struct hw_values b, const struct hw_message_info *info,
                             uint32_t depth) {
    uint32_t i = 0;

    while (i < a.count && i < b.count &&
           fields_equal(hw_entry_at(a, i), hw_entry_at(b, i), hw_entry_key_field(info), depth) &&
           fields_equal(hw_entry_at(a, i), hw_entry_at(b, i), hw_entry_value_field(info), depth))
        i++;
    return i;
}

/* Compares maps as sets of the entries that count. An absent value is the default. Maps with the same entries in the
 * same order are equal, whichever count. */
static bool maps_equal(struct hw_values a, struct hw_values b, const struct hw_message_info *info, uint32_t depth) {
    const struct hw_field_info *key_field = hw_entry_key_field(info), *value = hw_entry_value_field(info);
    uint32_t sizes[2] = {0, 0};

    if (depth == 0) {
        hw_error_raise(HW_STATUS_DEPTH_EXCEEDED);
        return false;
    }
    if (a.count == b.count && same_entries(a, b, info, depth - 1) == a.count) return true;
    for (uint32_t i = 0; i < b.count; i++) sizes[1] += hw_entry_counts(b, key_field, i);
    for (uint32_t i = 0; i < a.count; i++) {
        if (!hw_entry_counts(a, key_field, i)) continue;
        hw_ref entry = hw_entry_at(a, i);
        struct hw_map_key key = hw_entry_key(entry, key_field);
        uint32_t other = hw_entries_find(b, key_field, &key);
        if (other == HW_MAP_NONE || !fields_equal(entry, hw_entry_at(b, other), value, depth - 1)) return false;
        sizes[0]++;
    }
    return sizes[0] == sizes[1];
}

static __attribute__((noinline)) bool repeated_equal(hw_ref a, hw_ref b, const struct hw_field_info *field,
                                                     uint32_t depth) {
    struct hw_values first = hw_field_elements(a, field), second = hw_field_elements(b, field);

    if (first.count == 0 && second.count == 0) return true;
    if (field->flags & HW_FIELD_MAP) return maps_equal(first, second, field->message, depth);
    return first.count == second.count && lists_equal(first, second, field, depth);
}

static bool unknown_equal(hw_ref a, hw_ref b, const struct hw_message_info *info) {
    struct hw_bytes first = hw_field_unknown(a, info), second = hw_field_unknown(b, info);

    return first.length == second.length && bytes_equal(first.data, second.data, first.length);
}

/* messages_equal where a message may be null. */
static COLD_CALL bool absent_equal(hw_ref a, hw_ref b, const struct hw_message_info *info, uint32_t depth) {
    const struct hw_field_info *field = info->fields, *end = field + info->field_count;

    for (; field != end; field++) {
        bool has = hw_field_has(a, info, field);
        if (field->flags & HW_FIELD_REPEATED) {
            if (!repeated_equal(a, b, field, depth)) return false;
        } else if (field->flags & HW_FIELD_IMPLICIT) {
            if (!fields_equal(a, b, field, depth)) return false;
        } else if (has != hw_field_has(b, info, field) || (has && !fields_equal(a, b, field, depth))) {
            return false;
        }
    }
    return unknown_equal(a, b, info);
}

static bool messages_equal(hw_ref a, hw_ref b, const struct hw_message_info *info, uint32_t depth) {
    const struct hw_field_info *field = info->fields, *end = field + info->field_count;

    if (UNLIKELY(!a || !b)) return absent_equal(a, b, info, depth);
    const char *first = hw_pointer(a), *second = hw_pointer(b);
    const uint32_t *words = (const uint32_t *)(const void *)(first + info->hasbits);
    const uint32_t *others = (const uint32_t *)(const void *)(second + info->hasbits);
    uint32_t has = *words, differ = has ^ *others;

    for (; field != end; field++) {
        const void *at = first + field->offset, *other = second + field->offset;
        if (field->flags & HW_FIELD_REPEATED) {
            if ((*(const hw_ref *)at | *(const hw_ref *)other) && !repeated_equal(a, b, field, depth)) return false;
            continue;
        }
        if (UNLIKELY(field->case_offset)) {
            bool member = hw_field_has(a, info, field);
            if (member != hw_field_has(b, info, field)) return false;
            if (!member) continue;
        } else if (!(field->flags & HW_FIELD_IMPLICIT)) {
            uint32_t bit = field->hasbit;
            if (UNLIKELY(info->hasbits_words > 1)) {
                has = words[bit / 32];
                differ = has ^ others[bit / 32];
            }
            if (differ >> bit % 32 & 1) return false;
            if (!(has >> bit % 32 & 1)) continue;
        }
        if (!slots_equal(at, other, field, depth)) return false;
    }
    return *(const hw_ref *)(const void *)(first + info->unknown_fields) ==
               *(const hw_ref *)(const void *)(second + info->unknown_fields) ||
           unknown_equal(a, b, info);
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

/* Returns ByteString.hashCode(). It is never 0, because 0 in the object stands for a hash that is not computed yet. A
 * view has no place for it. */
static uint32_t string_hash(hw_ref reference) {
    struct hw_byte_string *string = reference && !hw_is_byte_view(reference) ? hw_pointer(reference) : NULL;
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
        if (hw_entry_counts(entries, key, i)) {
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

    if (too_deep) hw_error_raise(HW_STATUS_DEPTH_EXCEEDED);
    return too_deep ? 0 : (int32_t)hash;
}
