/* Map fields: lists of entry messages; of entries with equal keys the last one counts. Generated accessors of maps call
 * these functions. `index` is that of the field in info->fields. Lookup walks the list from its end. NULL is a message
 * without entries.
 *
 * Functions that allocate are safepoints. A function that returns false or NULL has raised an exception and left the
 * message as it was. */
#ifndef HW_RUNTIME_ACCESSORS_MAP_H
#define HW_RUNTIME_ACCESSORS_MAP_H

#include "runtime/accessors/info.h"
#include "runtime/message.h"

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

/* Index that stands for no entry. */
#define HW_MAP_NONE UINT32_MAX

/* Returns the index in the list of the entry that counts for a key, or HW_MAP_NONE. */
uint32_t hw_map_find(hw_handle message, const struct hw_message_info *info, uint32_t index, struct hw_map_key key);

/* Returns the index of the first entry at `from` or later that counts; the length of the list if there is none. */
uint32_t hw_map_next(hw_handle message, const struct hw_message_info *info, uint32_t index, uint32_t from);

/* Returns the number of keys. */
uint32_t hw_map_size(hw_handle message, const struct hw_message_info *info, uint32_t index);

/* Return the value of a key. Without the key they return zero, no bytes, or NULL (which also comes with
 * HW_OUT_OF_HANDLES). */
uint64_t hw_map_bits(hw_handle message, const struct hw_message_info *info, uint32_t index, struct hw_map_key key);
struct hw_bytes hw_map_bytes(hw_handle message, const struct hw_message_info *info, uint32_t index,
                             struct hw_map_key key);
hw_handle hw_map_message(hw_handle message, const struct hw_message_info *info, uint32_t index, struct hw_map_key key);

/* Set the value of a key. */
bool hw_map_put(hw_handle message, const struct hw_message_info *info, uint32_t index, struct hw_map_key key,
                uint64_t bits);
bool hw_map_put_bytes(hw_handle message, const struct hw_message_info *info, uint32_t index, struct hw_map_key key,
                      const void *data, uint32_t length);

/* Returns the value of a key; a new message if the key is absent. */
hw_handle hw_map_mutable(hw_handle message, const struct hw_message_info *info, uint32_t index, struct hw_map_key key);

/* Removes a key: every entry that has it. */
bool hw_map_remove(hw_handle message, const struct hw_message_info *info, uint32_t index, struct hw_map_key key);

#endif
