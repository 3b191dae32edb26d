/* Class descriptors, to which the class words of objects point. They are immutable but for the type id, lie outside the
 * moving heap, and are read by C and by units. */
#ifndef HW_RUNTIME_KLASS_H
#define HW_RUNTIME_KLASS_H

#include <stdbool.h>

#include "runtime/object.h"

struct hw_klass {
    uint32_t object_size;   /* bytes, header included; 0 for arrays */
    uint32_t kind;          /* HW_KLASS_KIND_* */
    uint32_t element_shift; /* log2 of an array's element size */
    hw_ref super;           /* the superclass's klass, or 0 */
    uint32_t id;
    uint32_t reference_bitmap; /* bit i: the 4-byte slot i after the header is a reference */
    hw_ref name;               /* C string */
    uint16_t flags;            /* HW_KLASS_FLAG_* */
    uint16_t type_id;          /* in Skyway's global registry (docs/reference/skyway.md); 0: none yet */
};

_Static_assert(offsetof(struct hw_klass, object_size) == HW_KLASS_OBJECT_SIZE, "object size");
_Static_assert(offsetof(struct hw_klass, kind) == HW_KLASS_KIND, "kind");
_Static_assert(offsetof(struct hw_klass, element_shift) == HW_KLASS_ELEMENT_SHIFT, "element shift");
_Static_assert(offsetof(struct hw_klass, super) == HW_KLASS_SUPER, "super");
_Static_assert(offsetof(struct hw_klass, id) == HW_KLASS_ID, "id");
_Static_assert(offsetof(struct hw_klass, reference_bitmap) == HW_KLASS_REFERENCE_BITMAP, "bitmap");
_Static_assert(offsetof(struct hw_klass, name) == HW_KLASS_NAME, "name");
_Static_assert(offsetof(struct hw_klass, flags) == HW_KLASS_FLAGS, "flags");
_Static_assert(offsetof(struct hw_klass, type_id) == HW_KLASS_TYPE_ID, "type id");
_Static_assert(sizeof(struct hw_klass) == HW_KLASS_SIZE, "klass");

/* If the top bit of the reference bitmap is set, its other bits are half the address of a long bitmap: a count of
 * words, then the words. */
#define HW_KLASS_LONG_BITMAP (1u << 31)

/* `flags` and `type_id` share one word: the type id begins at bit HW_KLASS_TYPE_ID_BIT. Software on the core reads both
 * halves with one load. */
#define HW_KLASS_TYPE_ID_BIT 16
_Static_assert(HW_KLASS_FLAGS % 4 == 0 && HW_KLASS_TYPE_ID == HW_KLASS_FLAGS + HW_KLASS_TYPE_ID_BIT / 8,
               "flags and type id");

static inline uint32_t hw_klass_tag(const struct hw_klass *klass) {
    uint32_t tag;

    __builtin_memcpy(&tag, __builtin_assume_aligned((const char *)klass + HW_KLASS_FLAGS, sizeof tag), sizeof tag);
    return tag;
}

/* Returns whether the slot at this byte offset of an instance holds a reference. */
static inline bool hw_klass_is_reference(const struct hw_klass *klass, uint32_t offset) {
    uint32_t slot = (offset - HW_OBJECT_HEADER_SIZE) / 4, bits = klass->reference_bitmap;

    if (bits & HW_KLASS_LONG_BITMAP) {
        const uint32_t *words = hw_pointer(bits << 1);

        bits = slot / 32 < words[0] ? words[1 + slot / 32] : 0;
    } else if (slot >= 31) {
        bits = 0;
    }
    return bits >> slot % 32 & 1;
}

/* Returns the offset in bytes of an array's first element. */
static inline uint32_t hw_klass_elements(const struct hw_klass *klass) {
    return klass->flags & HW_KLASS_FLAG_METADATA ? HW_OBJECT_METADATA_ARRAY_ELEMENTS : HW_OBJECT_ARRAY_ELEMENTS;
}

static inline const struct hw_klass *hw_klass_of(const void *object) {
    return hw_pointer(((const struct hw_object *)object)->klass);
}

#endif
