/* Map entries as raw references, for walks without a safepoint. */
#ifndef HW_RUNTIME_ACCESSORS_ENTRIES_H
#define HW_RUNTIME_ACCESSORS_ENTRIES_H

#include <string.h>

#include "runtime/accessors/fields.h"
#include "runtime/accessors/map.h"

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

static inline struct hw_map_key hw_entry_key(hw_ref entry, const struct hw_message_info *info) {
    uint64_t bits = hw_field_bits(entry, hw_entry_key_field(info));

    if (hw_value_is_bytes(hw_entry_key_field(info)->type))
        return (struct hw_map_key){.bytes = hw_byte_string_bytes((hw_ref)bits)};
    return hw_map_key_bits(bits);
}

static inline bool hw_keys_equal(const struct hw_map_key *a, const struct hw_map_key *b) {
    return a->bits == b->bits && a->bytes.length == b->bytes.length &&
           (a->bytes.length == 0 || memcmp(a->bytes.data, b->bytes.data, a->bytes.length) == 0);
}

/* Returns the index of the last entry with this key at `first` or later; HW_MAP_NONE if there is none. */
static inline uint32_t hw_entries_find(struct hw_values entries, const struct hw_message_info *info,
                                       struct hw_map_key key, uint32_t first) {
    for (uint32_t i = entries.count; i-- > first;) {
        struct hw_map_key other = hw_entry_key(hw_entry_at(entries, i), info);
        if (hw_keys_equal(&key, &other)) return i;
    }
    return HW_MAP_NONE;
}

/* Returns whether an entry counts: no later entry has its key. */
static inline bool hw_entry_counts(struct hw_values entries, const struct hw_message_info *info, uint32_t index) {
    return hw_entries_find(entries, info, hw_entry_key(hw_entry_at(entries, index), info), index + 1) == HW_MAP_NONE;
}

#endif
