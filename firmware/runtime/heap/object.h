/* The extent of an object and the references in it. */
#ifndef HW_RUNTIME_HEAP_OBJECT_H
#define HW_RUNTIME_HEAP_OBJECT_H

#include <stdbool.h>

#include "runtime/klass.h"

/* Returns the bytes of an object of this klass, a multiple of the alignment. `length` counts only for arrays. */
static inline uint32_t hw_klass_bytes(const struct hw_klass *klass, uint32_t length) {
    if (klass->object_size) return klass->object_size;
    return hw_object_round(hw_klass_elements(klass) + (length << klass->element_shift));
}

static inline uint32_t hw_object_bytes(const void *object) {
    const struct hw_klass *klass = hw_klass_of(object);

    if (klass->object_size) return klass->object_size;
    return hw_klass_bytes(klass, ((const struct hw_array *)object)->length);
}

/* Copies an even number of words, until `to` is `end`. Ranges may overlap if `to` lies before `from`. */
static inline void hw_copy_words(uint32_t *to, const uint32_t *from, const uint32_t *end) {
    for (; end - to >= 4; to += 4, from += 4) {
        uint32_t a = from[0], b = from[1], c = from[2], d = from[3];

        to[0] = a;
        to[1] = b;
        to[2] = c;
        to[3] = d;
    }
    if (to != end) {
        uint32_t a = from[0], b = from[1];

        to[0] = a;
        to[1] = b;
    }
}

typedef void hw_visit_slot(hw_ref *slot, void *context);

static inline __attribute__((always_inline)) void hw_visit_bits(hw_ref *slots, uint32_t bits, hw_visit_slot *visit,
                                                                void *context) {
    for (; bits; bits >>= 1, slots++)
        if (bits & 1) visit(slots, context);
}

/* Calls `visit` for every slot of `object` that holds a reference, null ones included. */
static inline __attribute__((always_inline)) void hw_visit_object(void *object, hw_visit_slot *visit, void *context) {
    const struct hw_klass *klass = hw_klass_of(object);
    hw_ref *slots = (hw_ref *)((char *)object + HW_OBJECT_HEADER_SIZE);

    if (klass->kind == HW_KLASS_KIND_PRIMITIVE_ARRAY) return;
    if (klass->kind == HW_KLASS_KIND_OBJECT_ARRAY) {
        hw_ref *element = (hw_ref *)((char *)object + hw_klass_elements(klass));

        for (uint32_t left = ((const struct hw_array *)object)->length; left; left--) visit(element++, context);
    } else if (klass->reference_bitmap & HW_KLASS_LONG_BITMAP) {
        const uint32_t *words = hw_pointer(klass->reference_bitmap << 1);

        for (uint32_t i = 0; i < words[0]; i++) hw_visit_bits(slots + 32 * i, words[1 + i], visit, context);
    } else {
        hw_visit_bits(slots, klass->reference_bitmap, visit, context);
    }
}

/* Klasses of fillers, which keep unused ranges walkable: a bare header, and an array of bytes. */
extern const struct hw_klass hw_filler_klass, hw_filler_array_klass;

/* Makes [start, limit), aligned as objects are, one dead object. Does nothing if the range is empty. */
void hw_make_filler(uint32_t start, uint32_t limit);

static inline bool hw_is_filler(const void *object) {
    return hw_klass_of(object) == &hw_filler_klass || hw_klass_of(object) == &hw_filler_array_klass;
}

#endif
