/* Elements of repeated fields. An absent list has none. An index at or above the count raises HW_OUT_OF_BOUNDS and
 * reads as zero, no bytes, or NULL. */
#ifndef HW_RUNTIME_ACCESSORS_LIST_H
#define HW_RUNTIME_ACCESSORS_LIST_H

#include "runtime/accessors/read.h"
#include "runtime/accessors/info.h"

static inline uint32_t hw_list_count(hw_handle message, uint32_t offset) {
    hw_ref list = hw_read_32(message, offset);

    return list ? ((const struct hw_array_list *)hw_pointer(list))->count : 0;
}

/* Returns element `index`, of 2^shift bytes, of the list at `offset`; NULL with HW_OUT_OF_BOUNDS. Valid until the next
 * safepoint. */
void *hw_list_element(hw_handle message, uint32_t offset, uint32_t index, uint32_t shift);

static inline uint32_t hw_list_32(hw_handle message, uint32_t offset, uint32_t index) {
    const uint32_t *element = hw_list_element(message, offset, index, 2);

    return element ? *element : 0;
}

static inline uint64_t hw_list_64(hw_handle message, uint32_t offset, uint32_t index) {
    const uint64_t *element = hw_list_element(message, offset, index, 3);

    return element ? *element : 0;
}

static inline bool hw_list_bool(hw_handle message, uint32_t offset, uint32_t index) {
    const uint8_t *element = hw_list_element(message, offset, index, 0);

    return element && *element != 0;
}

static inline struct hw_bytes hw_list_bytes(hw_handle message, uint32_t offset, uint32_t index) {
    return hw_byte_string_bytes(hw_list_32(message, offset, index));
}

/* Returns an element that is a message; NULL also with HW_OUT_OF_HANDLES. */
hw_handle hw_list_message(hw_handle message, uint32_t offset, uint32_t index);

/* Makes room for one more element of a field; makes list and array if they are absent. The field's value does not
 * change: an absent list becomes an empty one. Returns a local handle on the array, or NULL with an exception. A
 * safepoint. */
hw_handle hw_list_room(hw_handle message, uint32_t offset, uint32_t type);

/* Appends an element to `array`, which has room, and counts it: `value` if the type is a reference, else `bits`. */
void hw_list_append(hw_handle message, uint32_t offset, uint32_t type, hw_handle array, uint64_t bits, hw_handle value);

/* Map fields: lists of entry messages; of entries with equal keys the last one counts. Generated accessors of maps call
 * these functions. `index` is that of the field in info->fields. Lookup walks the list from its end. NULL is a message
 * without entries.
 *
 * Functions that allocate are safepoints. A function that returns false or NULL has raised an exception and left the
 * message as it was. */

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
