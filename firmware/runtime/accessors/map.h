/* Map fields: lists of entry messages; of entries with equal keys the last one counts. Generated accessors of maps call
 * these functions. NULL is a message without entries.
 *
 * Functions that allocate are safepoints. A function that returns false or NULL has raised an error and left the
 * message as it was.
 */
#ifndef HW_RUNTIME_ACCESSORS_MAP_H
#define HW_RUNTIME_ACCESSORS_MAP_H

#include "runtime/accessors/list.h"

/* Return where the list has the entry that counts for a key; NULL if there is none. Valid until the next safepoint; no
 * safepoint. `list` is the offset of the field, `at` that of the key in an entry. */
const hw_ref *hw_map_find_32(hw_handle message, uint32_t list, uint32_t at, uint32_t key);
const hw_ref *hw_map_find_64(hw_handle message, uint32_t list, uint32_t at, uint64_t key);
const hw_ref *hw_map_find_bool(hw_handle message, uint32_t list, uint32_t at, bool key);
const hw_ref *hw_map_find_bytes(hw_handle message, uint32_t list, uint32_t at, const void *data, uint32_t length);

/* Return the value, at offset `at`, of an entry that was found; without one, zero, no bytes, or NULL (which also comes
 * with HW_STATUS_NO_HANDLE). */
static inline uint32_t hw_map_value_32(const hw_ref *entry, uint32_t at) {
    return entry && *entry ? *(const uint32_t *)hw_pointer(*entry + at) : 0;
}

static inline uint64_t hw_map_value_64(const hw_ref *entry, uint32_t at) {
    return entry && *entry ? *(const uint64_t *)hw_pointer(*entry + at) : 0;
}

static inline bool hw_map_value_bool(const hw_ref *entry, uint32_t at) {
    return entry && *entry && *(const uint8_t *)hw_pointer(*entry + at) != 0;
}

static inline struct hw_bytes hw_map_value_bytes(const hw_ref *entry, uint32_t at) {
    return hw_byte_string_bytes(hw_map_value_32(entry, at));
}

static inline hw_handle hw_map_value_message(const hw_ref *entry, uint32_t at) {
    return hw_handle_hold(hw_map_value_32(entry, at));
}

/* Returns the index of the first entry at `from` or later that counts; the length of the list if there is none. `index`
 * is that of the field in info->fields, here and below. */
uint32_t hw_map_next(hw_handle message, const struct hw_message_info *info, uint32_t index, uint32_t from);

/* Returns the number of keys. */
uint32_t hw_map_size(hw_handle message, const struct hw_message_info *info, uint32_t index);

/* A key: the bits of a slot, or the bytes of a string. The bytes must not move during the call; for functions that
 * allocate they must lie outside the heap. */
struct hw_map_key {
    uint64_t bits;
    struct hw_bytes bytes;
};

static inline struct hw_map_key hw_map_key_bits(uint64_t bits) { return (struct hw_map_key){.bits = bits}; }

static inline struct hw_map_key hw_map_key_bytes(const void *data, uint32_t length) {
    return (struct hw_map_key){.bytes = {data, length}};
}

/* Returns the value of a key; a new message if the key is absent. */
hw_handle hw_map_mutable(hw_handle message, const struct hw_message_info *info, uint32_t index, struct hw_map_key key);

/* Removes a key: every entry that has it. */
bool hw_map_remove(hw_handle message, const struct hw_message_info *info, uint32_t index, struct hw_map_key key);

/* Announces that the key of an entry has changed, which may be in a map. Generated setters do; a program that changes a
 * key by the functions of build.h must. Returns true. */
bool hw_map_rekey(void);

#endif
