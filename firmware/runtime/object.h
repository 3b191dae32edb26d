/* Objects of the 32-bit managed heap.
 *
 * An object is a mark word, a class word and its slots. A reference is the object's 32-bit address; null is 0. Objects
 * are 8-byte aligned. heapwire.h has the offsets, which hardware obeys too. The structs below exist so that C code can
 * name the words; the assertions check them against heapwire.h.
 *
 * The host build maps its heap below 4 GB, so that a reference is an address there too.
 */
#ifndef HW_RUNTIME_OBJECT_H
#define HW_RUNTIME_OBJECT_H

#include <stddef.h>
#include <stdint.h>

#include "heapwire.h"

typedef uint32_t hw_ref;

/* Slots behind mark and klass, of an instance with serialization metadata, that are not fields. */
#define HW_METADATA_SLOTS (HW_OBJECT_METADATA_SIZE / 4)

struct hw_object {
    uint32_t mark;
    hw_ref klass;
};

struct hw_array {
    struct hw_object header;
    uint32_t length;
    uint32_t padding; /* elements of every size start at the same offset */
    uint8_t elements[];
};

/* The UTF-8 bytes of a string field, or a bytes field. */
struct hw_byte_string {
    struct hw_object header;
    int32_t hash; /* 0: not computed yet */
    hw_ref bytes; /* byte[] */
};

/* A string or bytes field that was left in the input. It stands wherever a byte string may stand; `mark` tells them
 * apart. Its bytes are elements of `owner`, a byte[], from `offset` on; without owner, memory from that address on. */
struct hw_byte_view {
    struct hw_object header;
    hw_ref owner;
    uint32_t mark; /* HW_OBJECT_BYTE_VIEW_MARK, in the place of a byte string's `bytes` */
    uint32_t offset;
    uint32_t length;
};

/* A repeated field: the first `count` elements of `array` are its value. */
struct hw_array_list {
    struct hw_object header;
    uint32_t count;
    hw_ref array;
};

_Static_assert(offsetof(struct hw_object, mark) == HW_OBJECT_MARK, "mark");
_Static_assert(offsetof(struct hw_object, klass) == HW_OBJECT_KLASS, "klass");
_Static_assert(sizeof(struct hw_object) == HW_OBJECT_HEADER_SIZE, "header");
_Static_assert(offsetof(struct hw_array, length) == HW_OBJECT_ARRAY_LENGTH, "array length");
_Static_assert(offsetof(struct hw_array, elements) == HW_OBJECT_ARRAY_ELEMENTS, "array elements");
_Static_assert(offsetof(struct hw_byte_string, hash) == HW_OBJECT_BYTE_STRING_HASH, "hash");
_Static_assert(offsetof(struct hw_byte_string, bytes) == HW_OBJECT_BYTE_STRING_BYTES, "bytes");
_Static_assert(sizeof(struct hw_byte_string) == HW_OBJECT_BYTE_STRING_SIZE, "byte string");
_Static_assert(offsetof(struct hw_byte_view, owner) == HW_OBJECT_BYTE_VIEW_OWNER, "owner");
_Static_assert(offsetof(struct hw_byte_view, mark) == HW_OBJECT_BYTE_STRING_BYTES, "view's mark");
_Static_assert(offsetof(struct hw_byte_view, offset) == HW_OBJECT_BYTE_VIEW_OFFSET, "offset");
_Static_assert(offsetof(struct hw_byte_view, length) == HW_OBJECT_BYTE_VIEW_LENGTH, "length");
_Static_assert(sizeof(struct hw_byte_view) == HW_OBJECT_BYTE_VIEW_SIZE, "view");
_Static_assert(offsetof(struct hw_array_list, count) == HW_OBJECT_ARRAY_LIST_COUNT, "count");
_Static_assert(offsetof(struct hw_array_list, array) == HW_OBJECT_ARRAY_LIST_ARRAY, "array");
_Static_assert(sizeof(struct hw_array_list) == HW_OBJECT_ARRAY_LIST_SIZE, "array list");

static inline void *hw_pointer(hw_ref reference) { return (void *)(uintptr_t)reference; }

static inline hw_ref hw_reference(const void *pointer) { return (hw_ref)(uintptr_t)pointer; }

/* Rounds `size` up to the alignment of objects; `size` must not exceed 2^32 - 8. */
static inline uint32_t hw_object_round(uint32_t size) {
    return (size + (HW_OBJECT_ALIGNMENT - 1)) & ~(uint32_t)(HW_OBJECT_ALIGNMENT - 1);
}

static inline uint8_t *hw_array_bytes(hw_ref array) { return ((struct hw_array *)hw_pointer(array))->elements; }

static inline uint32_t hw_array_length(hw_ref array) { return ((const struct hw_array *)hw_pointer(array))->length; }

#endif
