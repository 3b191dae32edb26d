/* Map fields: lists of entry messages, of which the last one of a key counts. What generated accessors of maps are made
 * of; `index` is that of the field in info->fields. Lookup walks the list from its end; NULL is a message without entries.
 *
 * Functions that allocate are safepoints. One that answers false or NULL has raised an exception and left the message
 * as it was. */
#ifndef HW_RUNTIME_ACCESSORS_MAP_H
#define HW_RUNTIME_ACCESSORS_MAP_H

#include "runtime/accessors/info.h"
#include "runtime/message.h"

/* A key: the bits of a slot, or the bytes of a string, which must not move meanwhile: outside the heap for what allocates. */
struct hw_map_key {
    uint64_t bits;
    struct hw_bytes bytes;
};

static inline struct hw_map_key hw_map_key_bits(uint64_t bits)
{
    return (struct hw_map_key){.bits = bits};
}

static inline struct hw_map_key hw_map_key_bytes(const void *data, uint32_t length)
{
    return (struct hw_map_key){.bytes = {data, length}};
}

/* No entry has the key. */
#define HW_MAP_NONE UINT32_MAX

/* The index in the list of the entry that counts for a key, or HW_MAP_NONE. */
uint32_t hw_map_find(hw_handle message, const struct hw_message_info *info, uint32_t index, struct hw_map_key key);

/* The first entry from `from` on that counts; the length of the list if there is none. */
uint32_t hw_map_next(hw_handle message, const struct hw_message_info *info, uint32_t index, uint32_t from);

/* How many keys there are. */
uint32_t hw_map_size(hw_handle message, const struct hw_message_info *info, uint32_t index);

/* The value of a key: zero, no bytes, or NULL (also with HW_OUT_OF_HANDLES) without one. */
uint64_t hw_map_bits(hw_handle message, const struct hw_message_info *info, uint32_t index, struct hw_map_key key);
struct hw_bytes hw_map_bytes(hw_handle message, const struct hw_message_info *info, uint32_t index, struct hw_map_key key);
hw_handle hw_map_message(hw_handle message, const struct hw_message_info *info, uint32_t index, struct hw_map_key key);

/* Gives a key a value. */
bool hw_map_put(hw_handle message, const struct hw_message_info *info, uint32_t index, struct hw_map_key key, uint64_t bits);
bool hw_map_put_bytes(hw_handle message, const struct hw_message_info *info, uint32_t index, struct hw_map_key key,
                      const void *data, uint32_t length);

/* The value of a key, a new message if it has none. */
hw_handle hw_map_mutable(hw_handle message, const struct hw_message_info *info, uint32_t index, struct hw_map_key key);

/* Takes a key away, every entry of it. */
bool hw_map_remove(hw_handle message, const struct hw_message_info *info, uint32_t index, struct hw_map_key key);

#endif
