/* Putting values into maps: what generated code inlines for each map. With constants of the layout, a new key is a
 * search through the list, one allocation and stores.
 */
#ifndef HW_RUNTIME_ACCESSORS_PUT_H
#define HW_RUNTIME_ACCESSORS_PUT_H

#include "runtime/accessors/find.h"
#include "runtime/accessors/fresh.h"
#include "runtime/heap/card.h"

/* A key or value in an entry. */
struct hw_map_part {
    uint32_t offset;
    uint32_t shift; /* log2 of the slot's bytes */
    bool is_bytes;
    uint32_t hasbit; /* in the entry's only word */
    bool implicit;   /* has no hasbit if it is zero or empty */
};

/* A map: where the message has it, and its entries' parts. */
struct hw_map_place {
    uint32_t list;
    uint32_t size; /* of an entry, which has one word of hasbits */
    struct hw_map_part key, value;
};

/* The same in steps: for long lists and strings, and for keys that are there. */
bool hw_map_put_slowly(hw_handle message, const struct hw_message_info *info, uint32_t index, struct hw_map_key key,
                       struct hw_map_key value);

ALWAYS_INLINE uint32_t hw_map_part_size(struct hw_map_part part, struct hw_map_key value) {
    if (!part.is_bytes || (part.implicit && value.bytes.length == 0)) return 0;
    return hw_object_bytes_size(value.bytes.length);
}

ALWAYS_INLINE uint32_t hw_map_part_bit(struct hw_map_part part, struct hw_map_key value) {
    bool empty = part.is_bytes ? value.bytes.length == 0 : value.bits == 0;

    return (uint32_t)!(part.implicit && empty) << part.hasbit;
}

/* Stores a key or value in a new entry. `at`: its byte string. */
ALWAYS_INLINE void hw_map_part_store(hw_ref entry, struct hw_map_part part, struct hw_map_key value, hw_ref at,
                                     uint32_t size) {
    void *slot = hw_pointer(entry + part.offset);

    if (part.is_bytes)
        *(hw_ref *)slot = size != 0 ? at : 0;
    else if (part.shift == 0)
        *(uint8_t *)slot = value.bits != 0;
    else if (part.shift == 2)
        *(uint32_t *)slot = (uint32_t)value.bits;
    else
        *(uint64_t *)slot = value.bits;
}

/* Returns a copy, for a call: what is only read stays in registers. */
ALWAYS_INLINE struct hw_map_key hw_map_key_of(struct hw_map_key key) {
    return (struct hw_map_key){key.bits, {key.bytes.data, key.bytes.length}};
}

/* Returns whether a short list has the key. */
ALWAYS_INLINE bool hw_map_there(hw_handle message, struct hw_map_place place, struct hw_map_key key,
                                struct hw_values entries) {
    const hw_ref *first = (const hw_ref *)(const void *)entries.at;
    uint32_t at = place.key.offset;

    if (place.key.is_bytes) return entries.count != 0 && hw_keys_enter(entries, at, key.bytes.data, key.bytes.length);
    if (place.key.shift == 2) return hw_entries_last_32(first, at, (uint32_t)key.bits, 0, entries.count) != HW_MAP_NONE;
    if (place.key.shift == 3) return hw_map_find_64(message, place.list, at, key.bits);
    return hw_map_find_bool(message, place.list, at, key.bits != 0);
}

/* Sets the value of a key: of bytes that lie outside the heap, or of a slot's bits. `type` is that of the entries. A
 * new entry and its byte strings are taken from the heap at once. */
ALWAYS_INLINE bool hw_map_put(hw_handle message, const struct hw_message_info *info, uint32_t index,
                              const struct hw_message_info *type, struct hw_map_place place, struct hw_map_key key,
                              struct hw_map_key value) {
    if (UNLIKELY(!message)) return hw_object_there(message);
    struct hw_values entries = hw_entries_of(message, place.list);
    uint32_t count = entries.count;

    if (UNLIKELY(!hw_object_in_heap(message->reference) || count >= HW_MAP_INDEXED - 1 ||
                 (place.key.is_bytes && key.bytes.length > HW_OBJECT_SHORT) ||
                 (place.value.is_bytes && value.bytes.length > HW_OBJECT_SHORT)) ||
        hw_map_there(message, place, key, entries))
        return hw_map_put_slowly(message, info, index, hw_map_key_of(key), hw_map_key_of(value));
    uint32_t key_size = hw_map_part_size(place.key, key), value_size = hw_map_part_size(place.value, value);
    const struct hw_klass *klass = hw_message_klass_of(type);
    hw_ref entry = 0;

    if (LIKELY(klass && hw_list_room(message, place.list, HW_TYPE_MESSAGE)))
        entry = hw_object_take(place.size + key_size + value_size);
    if (UNLIKELY(entry == 0)) {
        if (place.key.is_bytes) hw_keys_forget();
        return false;
    }
    hw_object_write_message(entry, place.size, 1, klass,
                            hw_map_part_bit(place.key, key) | hw_map_part_bit(place.value, value));
    hw_map_part_store(entry, place.key, key, entry + place.size, key_size);
    hw_map_part_store(entry, place.value, value, entry + place.size + key_size, value_size);
    if (key_size != 0) hw_object_put_bytes(entry + place.size, key.bytes.data, key.bytes.length);
    if (value_size != 0) hw_object_put_bytes(entry + place.size + key_size, value.bytes.data, value.bytes.length);
    struct hw_array_list *list = hw_pointer(*(const hw_ref *)hw_pointer(message->reference + place.list));
    hw_ref *made = (hw_ref *)(void *)hw_array_bytes(list->array);

    list->count = count + 1;
    hw_write(made + count, entry);
    hw_object_forget(message->reference, info);
    if (place.key.is_bytes && count == 0) hw_keys_begin(made, key.bytes.data, key.bytes.length);
    return true;
}

/* A map with keys that are strings, for which hw_map_put is not inlined: it would be a kilobyte. */
struct hw_map {
    const struct hw_message_info *info, *type; /* of the message, of the entries */
    uint32_t index;                            /* of the field */
    struct hw_map_place place;
};

bool hw_map_put_bytes(hw_handle message, const struct hw_map *map, const void *key, uint32_t key_length,
                      const void *data, uint32_t length);
bool hw_map_put_bits(hw_handle message, const struct hw_map *map, const void *key, uint32_t key_length, uint64_t bits);

#endif
