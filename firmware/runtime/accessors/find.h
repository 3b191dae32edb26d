/* Entries of maps by key, for walks without a safepoint. */
#ifndef HW_RUNTIME_ACCESSORS_FIND_H
#define HW_RUNTIME_ACCESSORS_FIND_H

#include "runtime/accessors/map.h"
#include "runtime/accessors/view.h"
#include "runtime/compiler.h"

/* Index that stands for no entry. */
#define HW_MAP_NONE UINT32_MAX

/* `field` is the key's, here and below. */
static inline struct hw_map_key hw_entry_key(hw_ref entry, const struct hw_field_info *field) {
    uint64_t bits = hw_field_bits(entry, field);

    if (hw_value_is_bytes(field->type)) return (struct hw_map_key){.bytes = hw_byte_string_bytes((hw_ref)bits)};
    return hw_map_key_bits(bits);
}

static inline bool hw_keys_equal(const struct hw_map_key *a, const struct hw_map_key *b) {
    return a->bits == b->bits && a->bytes.length == b->bytes.length &&
           (a->bytes.length == 0 || memcmp(a->bytes.data, b->bytes.data, a->bytes.length) == 0);
}

/* Return the last entry with a key, of the `count` first ones; not below `first`. */

static inline uint32_t hw_entries_last_32(const hw_ref *entries, uint32_t at, uint32_t key, uint32_t first,
                                          uint32_t count) {
    while (count-- > first)
        if ((entries[count] ? *(const uint32_t *)hw_pointer(entries[count] + at) : 0) == key) return count;
    return HW_MAP_NONE;
}

/* For keys of 8 bytes and of one. */
static inline uint32_t hw_entries_last_bits(const hw_ref *entries, const struct hw_field_info *field, uint64_t key,
                                            uint32_t first, uint32_t count) {
    while (count-- > first)
        if (hw_field_bits(entries[count], field) == key) return count;
    return HW_MAP_NONE;
}

/* Lists of so many entries may have an index beside them. Shorter ones are searched from their end. */
#define HW_MAP_INDEXED 24u

uint32_t hw_entries_find_indexed(struct hw_values entries, const struct hw_field_info *field,
                                 const struct hw_map_key *key);

/* Returns the index of the entry that counts for a key; HW_MAP_NONE if there is none. */
uint32_t hw_entries_find(struct hw_values entries, const struct hw_field_info *field, const struct hw_map_key *key);

/* The same by steps from the last entry to the one at `first`. */
uint32_t hw_entries_find_from(struct hw_values entries, const struct hw_field_info *field, const struct hw_map_key *key,
                              uint32_t first);

/* For keys that are strings. */
uint32_t hw_entries_last_bytes(const hw_ref *entries, uint32_t at, const uint8_t *data, uint32_t length, uint32_t first,
                               uint32_t count);

/* Returns whether an entry counts: no later entry has its key. */
bool hw_entry_counts(struct hw_values entries, const struct hw_field_info *field, uint32_t index);

/* Tells that an entry with a new key was appended to a list, which is long now. `entries` is with it. */
void hw_entries_appended(struct hw_values entries, const struct hw_field_info *field, const struct hw_map_key *key);

/* Returns whether a short list, not empty, has a key. If not, the caller appends an entry with it, or calls
 * hw_keys_forget. */
bool hw_keys_enter(struct hw_values entries, uint32_t at, const uint8_t *data, uint32_t length);

/* Tells that a list begins with this key. */
void hw_keys_begin(const hw_ref *entries, const uint8_t *data, uint32_t length);

/* Tells that keys of entries have changed. */
void hw_keys_forget(void);

static inline struct hw_values hw_entries_of(hw_handle message, uint32_t offset) {
    const struct hw_array_list *list = hw_pointer(hw_read_32(message, offset));

    if (UNLIKELY(!list)) return (struct hw_values){0};
    uint32_t count = list->count;
    hw_ref array = list->array;

    __asm__("" : "+r"(count), "+r"(array)); /* both loads come first */
    if (UNLIKELY(array == 0)) return (struct hw_values){0};
    return (struct hw_values){(const char *)hw_array_bytes(array), count};
}

static inline const hw_ref *hw_entry_found(struct hw_values entries, uint32_t index) {
    return index == HW_MAP_NONE ? NULL : (const hw_ref *)(const void *)entries.at + index;
}

#endif
