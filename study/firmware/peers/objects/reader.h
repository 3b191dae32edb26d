/* What the readers share: whole booleans, and entries of maps. */
#ifndef HW_PEERS_OBJECTS_READER_H
#define HW_PEERS_OBJECTS_READER_H

#include "peers/objects/result.h"
#include "runtime/java/map.h"

#define ELEMENTS HW_OBJECT_METADATA_ARRAY_ELEMENTS
#define AT(object, type, name) (*(type *)hw_pointer((object) + HW_CLASS_##name))

/* What comes next of an object whose contents are being read. */
enum read_state {
    READ_FIELDS,
    READ_ELEMENTS,
    READ_LIST,
    READ_KEY,    /* of a HashMap with `count` entries left: the key comes next */
    READ_MAPPED, /* the key is read, the value comes next */
    READ_ENTRY,  /* both are read */
};

/* Normalizes an array of booleans that was copied from a stream: replaces every byte that is neither 0 nor 1 by
 * `others`. Works by words: elements begin at a word, and the bytes behind the last element belong to the array and are
 * zero. */
static inline void booleans_normalise(void *elements, uint32_t length, bool others) {
    uint32_t __attribute__((may_alias)) *word = elements, *end = word + (length + 3) / 4;

    for (; word < end; word++) {
        uint32_t value = *word, rest = value & 0xfefefefe;

        if (__builtin_expect(rest == 0, 1)) continue;
        /* Bit 0 of each byte that is neither 0 nor 1. Sums of seven bits do not carry into the next byte. */
        uint32_t strange = (((rest & 0x7f7f7f7f) + 0x7f7f7f7f) | rest) >> 7 & 0x01010101;

        *word = others ? (value & 0x01010101) | strange : value & 0x01010101 & ~strange;
    }
}

/* Enters a key and a value that have been read into a map: hw_hash_map_enter with a reader's limit. Returns a
 * reader's status. A safepoint. */
static inline enum hw_objects_status enter_key(hw_handle map, hw_handle key, hw_handle value) {
    static const uint8_t statuses[] = {
        [HW_MAP_ENTERED] = HW_OBJECTS_OK,
        [HW_MAP_NO_MEMORY] = HW_OBJECTS_NO_MEMORY,
        [HW_MAP_COLLISIONS] = HW_OBJECTS_COLLISIONS,
        [HW_MAP_WRONG] = HW_OBJECTS_UNSUPPORTED,
    };

    return (enum hw_objects_status)statuses[hw_hash_map_enter(map, key, value, HW_MAP_LONGEST)];
}

#endif
