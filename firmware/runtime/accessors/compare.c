#include "runtime/accessors/compare.h"

#include "runtime/accessors/accessors.h"
#include "runtime/accessors/find.h"

bool hw_too_deep(void) {
    hw_error_raise(HW_STATUS_DEPTH_EXCEEDED);
    return false;
}

static COLD_CALL bool bytes_same(const void *a, const void *b, uint32_t length) {
    return length == 0 || memcmp(a, b, length) == 0;
}

/* Compares elements of two arrays by two words: an array ends with a multiple of 8 bytes. If only the last of these
 * differ, that may be behind the elements. */
ALWAYS_INLINE bool words_same(const void *a, const void *b, uint32_t length) {
    const uint32_t *one = a, *two = b, *end = one + (length + 7) / 8 * 2;

    while (one != end) {
        uint32_t first = one[0], second = one[1], third = two[0], fourth = two[1];
        one += 2, two += 2;
        if (UNLIKELY(first != third || second != fourth)) return bytes_same(a, b, length);
    }
    return true;
}

static COLD_CALL bool views_same(hw_ref a, hw_ref b) {
    struct hw_bytes one = hw_byte_string_bytes(a), two = hw_byte_string_bytes(b);

    return one.length == two.length && bytes_same(one.data, two.data, one.length);
}

OFTEN bool hw_strings_same(hw_ref a, hw_ref b) {
    if (a == b) return true;
    if (UNLIKELY(!a || !b)) return views_same(a, b);
    hw_ref one = ((const struct hw_byte_string *)hw_pointer(a))->bytes;
    hw_ref two = ((const struct hw_byte_string *)hw_pointer(b))->bytes;

    if (UNLIKELY(one == HW_OBJECT_BYTE_VIEW_MARK || two == HW_OBJECT_BYTE_VIEW_MARK)) return views_same(a, b);
    uint32_t length = hw_array_length(one);

    return length == hw_array_length(two) && words_same(hw_array_bytes(one), hw_array_bytes(two), length);
}

static inline struct hw_values values_of(hw_ref reference) {
    const struct hw_array_list *list = hw_pointer(reference);

    if (!list || list->array == 0) return (struct hw_values){0};
    return (struct hw_values){(const char *)hw_array_bytes(list->array), list->count};
}

bool hw_lists_same(hw_ref a, hw_ref b, uint32_t shift) {
    struct hw_values one = values_of(a), two = values_of(b);

    return one.count == two.count && words_same(one.at, two.at, one.count << shift);
}

bool hw_unknown_same(hw_ref a, hw_ref b) { return hw_lists_same(a, b, 0); }

bool hw_nans(const void *a, const void *b, uint32_t offset) {
    uint64_t one = *(const uint64_t *)(const void *)((const char *)a + offset);
    uint64_t two = *(const uint64_t *)(const void *)((const char *)b + offset);

    return hw_value_canonical(one, HW_TYPE_DOUBLE) == hw_value_canonical(two, HW_TYPE_DOUBLE);
}

bool hw_lists_of_reals_same(hw_ref a, hw_ref b, uint32_t type) {
    struct hw_values one = values_of(a), two = values_of(b);
    uint32_t shift = hw_value_shift(type);

    if (one.count != two.count) return false;
    if (words_same(one.at, two.at, one.count << shift)) return true;
    for (uint32_t at = 0; at < one.count << shift; at += 1u << shift)
        if (!(shift == 2 ? hw_floats_same : hw_doubles_same)(one.at, two.at, at)) return false;
    return true;
}

bool hw_lists_of_strings_same(hw_ref a, hw_ref b) {
    struct hw_values one = values_of(a), two = values_of(b);

    if (one.count != two.count) return false;
    for (uint32_t i = 0; i < one.count; i++)
        if (!hw_strings_same(hw_entry_at(one, i), hw_entry_at(two, i))) return false;
    return true;
}

OFTEN bool hw_lists_of_messages_same(hw_ref a, hw_ref b, hw_same *same, uint32_t levels) {
    struct hw_values one = values_of(a), two = values_of(b);

    if (one.count != two.count) return false;
    for (uint32_t i = 0; i < one.count; i++)
        if (!same(hw_pointer(hw_entry_at(one, i)), hw_pointer(hw_entry_at(two, i)), levels)) return false;
    return true;
}

/* Compares maps whose entries are not the same in the same order. */
static COLD_CALL bool sets_same(hw_ref a, hw_ref b, hw_same *same, const struct hw_field_info *key, uint32_t levels) {
    struct hw_values one = values_of(a), two = values_of(b);
    uint32_t size = 0;

    for (uint32_t i = 0; i < two.count; i++) size += hw_entry_counts(two, key, i);
    for (uint32_t i = 0; i < one.count; i++) {
        if (!hw_entry_counts(one, key, i)) continue;
        hw_ref entry = hw_entry_at(one, i);
        struct hw_map_key wanted = hw_entry_key(entry, key);
        uint32_t other = hw_entries_find(two, key, &wanted);
        if (other == HW_MAP_NONE || !same(hw_pointer(entry), hw_pointer(hw_entry_at(two, other)), levels)) return false;
        size--;
    }
    return size == 0;
}

OFTEN bool hw_maps_same(hw_ref a, hw_ref b, hw_same *same, const struct hw_message_info *entry, uint32_t levels) {
    if (hw_count_of(a) == 0 && hw_count_of(b) == 0) return true;
    if (levels == 0) return hw_too_deep();
    return hw_lists_of_messages_same(a, b, same, levels) || sets_same(a, b, same, hw_entry_key_field(entry), levels);
}

bool hw_message_equals(hw_handle a, hw_handle b, hw_same *same) {
    uint32_t depth;

    return hw_message_depth(&depth) && same(a ? hw_handle_object(a) : NULL, b ? hw_handle_object(b) : NULL, depth + 1);
}

static uint32_t bytes_hash(struct hw_bytes bytes) {
    uint32_t hash = bytes.length;

    for (uint32_t i = 0; i < bytes.length; i++) hash = 31 * hash + (uint32_t)(int8_t)bytes.data[i];
    return hash;
}

/* Returns ByteString.hashCode(). It is never 0, because 0 in the object stands for a hash that is not computed yet. A
 * view has no place for it. */
static COLD_CALL uint32_t compute_hash(hw_ref reference) {
    uint32_t hash = bytes_hash(hw_byte_string_bytes(reference));

    if (hash == 0) hash = 1;
    if (reference && !hw_is_byte_view(reference))
        ((struct hw_byte_string *)hw_pointer(reference))->hash = (int32_t)hash;
    return hash;
}

uint32_t hw_hash_string(hw_ref reference) {
    const struct hw_byte_string *string = hw_pointer(reference);

    if (!string || hw_is_byte_view(reference) || string->hash == 0) return compute_hash(reference);
    return (uint32_t)string->hash;
}

uint32_t hw_hash_unknown(hw_ref list) {
    struct hw_values values = values_of(list);

    return bytes_hash((struct hw_bytes){(const uint8_t *)values.at, values.count});
}

uint32_t hw_hash_double(const void *at) {
    uint64_t bits = hw_value_canonical(*(const uint64_t *)at, HW_TYPE_DOUBLE);

    return (uint32_t)bits ^ (uint32_t)(bits >> 32);
}

static uint32_t element_hash(const void *at, uint32_t type) {
    if (hw_value_is_bytes(type)) return hw_hash_string(hw_word(at, 0));
    if (type == HW_TYPE_BOOL) return hw_hash_bool(at);
    if (type == HW_TYPE_FLOAT) return hw_hash_float(at);
    if (type == HW_TYPE_DOUBLE) return hw_hash_double(at);
    return hw_value_shift(type) == 3 ? hw_hash_64(at) : hw_word(at, 0);
}

uint32_t hw_hash_list(hw_ref list, uint32_t type) {
    struct hw_values values = values_of(list);
    uint32_t hash = 1;

    for (uint32_t i = 0; i < values.count; i++)
        hash = 31 * hash + element_hash(values.at + (i << hw_value_shift(type)), type);
    return hash;
}

uint32_t hw_hash_messages(hw_ref list, hw_hash *hash_of, struct hw_hash_walk *walk) {
    struct hw_values values = values_of(list);
    uint32_t hash = 1;

    for (uint32_t i = 0; i < values.count; i++) hash = 31 * hash + hash_of(hw_pointer(hw_entry_at(values, i)), walk);
    return hash;
}

/* Does not depend on the order of entries, like the hash code of java.util.Map. */
uint32_t hw_hash_map(hw_ref list, hw_hash *hash_of, const struct hw_message_info *entry, struct hw_hash_walk *walk) {
    struct hw_values entries = values_of(list);
    uint32_t hash = 0;

    if (!hw_hash_enter(walk)) return 0;
    for (uint32_t i = 0; i < entries.count; i++)
        if (hw_entry_counts(entries, hw_entry_key_field(entry), i))
            hash += hash_of(hw_pointer(hw_entry_at(entries, i)), walk);
    return hw_hash_leave(walk, hash);
}

int32_t hw_message_hash_code(hw_handle message, hw_hash *hash_of) {
    struct hw_hash_walk walk = {0};

    if (!hw_message_depth(&walk.levels)) return 0;
    walk.levels++;
    uint32_t hash = hash_of(message ? hw_handle_object(message) : NULL, &walk);

    return walk.too_deep ? hw_too_deep() : (int32_t)hash;
}
