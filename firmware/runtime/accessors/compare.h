/* Equality and hash codes of messages: what the two functions call that protoc-gen-heapwire writes for each type. Those
 * compare slots at constant offsets, so that equal messages cost a few loads a field.
 *
 * An object is a pointer here, and NULL is a message without any field. `levels` says how many messages may nest, this
 * one counted; 0 raises HW_STATUS_DEPTH_EXCEEDED. Lists and byte strings are references, 0 for none. No function is a
 * safepoint. A message is compared with itself, too: one that nests too deep fails whatever it is compared with.
 */
#ifndef HW_RUNTIME_ACCESSORS_COMPARE_H
#define HW_RUNTIME_ACCESSORS_COMPARE_H

#include "runtime/accessors/view.h"
#include "runtime/compiler.h"

/* The function of a type: whether two objects are equal. Of an entry of a map: whether its keys and values are. */
typedef bool hw_same(const void *a, const void *b, uint32_t levels);

/* Raises HW_STATUS_DEPTH_EXCEEDED. Returns false. */
COLD_CALL bool hw_too_deep(void);

ALWAYS_INLINE uint32_t hw_word(const void *object, uint32_t offset) {
    return *(const uint32_t *)(const void *)((const char *)object + offset);
}

/* Returns the bits in which two objects differ in a word. */
ALWAYS_INLINE uint32_t hw_differ(const void *a, const void *b, uint32_t offset) {
    return hw_word(a, offset) ^ hw_word(b, offset);
}

/* Compare numbers with a point, of which all NaNs are equal and 0.0 and -0.0 are not. */
static inline bool hw_floats_same(const void *a, const void *b, uint32_t offset) {
    uint32_t one = hw_word(a, offset), two = hw_word(b, offset);

    return LIKELY(one == two) || hw_value_canonical(one, HW_TYPE_FLOAT) == hw_value_canonical(two, HW_TYPE_FLOAT);
}

bool hw_nans(const void *a, const void *b, uint32_t offset);

static inline bool hw_doubles_same(const void *a, const void *b, uint32_t offset) {
    return LIKELY((hw_differ(a, b, offset) | hw_differ(a, b, offset + 4)) == 0) || hw_nans(a, b, offset);
}

bool hw_strings_same(hw_ref a, hw_ref b);

/* Of lists of unknown fields: byte by byte. */
bool hw_unknown_same(hw_ref a, hw_ref b);

/* Lists of numbers without a point, of 2^shift bytes; of those with a point; of byte strings; of messages. */
bool hw_lists_same(hw_ref a, hw_ref b, uint32_t shift);
bool hw_lists_of_reals_same(hw_ref a, hw_ref b, uint32_t type);
bool hw_lists_of_strings_same(hw_ref a, hw_ref b);
bool hw_lists_of_messages_same(hw_ref a, hw_ref b, hw_same *same, uint32_t levels);

/* Maps, as sets of the entries that count. `entry` describes the entries. */
bool hw_maps_same(hw_ref a, hw_ref b, hw_same *same, const struct hw_message_info *entry, uint32_t levels);

/* A walk over the messages of which a hash code is made. Once `too_deep` is set, the hash is not used. */
struct hw_hash_walk {
    uint32_t levels;
    bool too_deep;
};

/* The function of a type: the hash code of an object. Of an entry of a map: its key's with its value's. */
typedef uint32_t hw_hash(const void *object, struct hw_hash_walk *walk);

/* Return whether a message may be entered, one level below; and leave it again, with its hash code. */
static inline bool hw_hash_enter(struct hw_hash_walk *walk) {
    if (walk->levels == 0 || walk->too_deep) return !(walk->too_deep = true);
    walk->levels--;
    return true;
}

static inline uint32_t hw_hash_leave(struct hw_hash_walk *walk, uint32_t hash) {
    walk->levels++;
    return hash;
}

/* Adds a field to the hash code of its message. */
ALWAYS_INLINE uint32_t hw_hash_field(uint32_t hash, uint32_t number, uint32_t value) {
    return 53 * (37 * hash + number) + value;
}

/* Return hash codes of values. */

static inline uint32_t hw_hash_bool(const void *at) { return *(const uint8_t *)at ? 1231 : 1237; }

static inline uint32_t hw_hash_64(const void *at) { return hw_word(at, 0) ^ hw_word(at, 4); }

static inline uint32_t hw_hash_float(const void *at) {
    return (uint32_t)hw_value_canonical(hw_word(at, 0), HW_TYPE_FLOAT);
}

uint32_t hw_hash_double(const void *at);
uint32_t hw_hash_string(hw_ref string);
uint32_t hw_hash_unknown(hw_ref list);

/* Of lists: `type` is their elements'. */
uint32_t hw_hash_list(hw_ref list, uint32_t type);
uint32_t hw_hash_messages(hw_ref list, hw_hash *hash, struct hw_hash_walk *walk);
uint32_t hw_hash_map(hw_ref list, hw_hash *hash, const struct hw_message_info *entry, struct hw_hash_walk *walk);

/* Returns the number of a list's elements. */
static inline uint32_t hw_count_of(hw_ref list) {
    return list ? ((const struct hw_array_list *)hw_pointer(list))->count : 0;
}

#endif
