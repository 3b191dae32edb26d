/* Registered classes: what the codec and the units know of a class, found by its id or by its klass.
 *
 * One set of classes is in force, the program's. Ids are given in the order of registration, from 0.
 */
#ifndef HW_CEREAL_CODEC_CLASS_H
#define HW_CEREAL_CODEC_CLASS_H

#include <stdbool.h>

#include "runtime/klass.h"

#define HW_CEREAL_CLASSES 512

/* Layouts of up to this many buckets are kept ready. */
#define CEREAL_LAYOUT_BUCKETS 31

/* 64 bytes, so that indexing needs only a shift. */
struct hw_cereal_class {
    hw_ref klass;
    uint32_t id;
    uint32_t size;          /* of an instance, in bytes; 0: an array */
    uint32_t kind;          /* HW_CEREAL_KIND_*, which is HW_KLASS_KIND_* */
    uint32_t shift;         /* of an array: log2 of an element's bytes */
    uint32_t slots;         /* of an instance: slots behind the header */
    uint32_t values;        /* of an instance: how many of the slots hold values */
    uint32_t references;    /* bit i: slot 4 + i holds a reference; for more than 32 slots see cereal_references */
    uint8_t layout_buckets; /* buckets of an instance's packed layout; 0: more than are kept */
    uint8_t layout[CEREAL_LAYOUT_BUCKETS]; /* the packed layout */
};

_Static_assert(sizeof(struct hw_cereal_class) == 64, "class");

#define CEREAL_HASH (2 * HW_CEREAL_CLASSES)

struct hw_cereal_set {
    uint32_t count;
    uint32_t fingerprint;
    bool strip; /* streams that are written have no mark words */
};

extern struct hw_cereal_set hw_cereal_set;

/* The classes by id; and a hash table over klasses of the addresses of their classes, 0 for a free entry. */
extern struct hw_cereal_class hw_cereal_classes[HW_CEREAL_CLASSES];
extern hw_ref hw_cereal_by_klass[CEREAL_HASH];

/* Unregisters all classes. */
void hw_cereal_forget(bool strip);

/* Returns the class of this klass, and gives a new one the next id. Returns NULL if the klass has no serialization
 * metadata or no name, if streams do not support its kind, or if the set is full. */
const struct hw_cereal_class *hw_cereal_add(const struct hw_klass *klass);

/* Returns which of the 32 slots from 4 + 32 * word on of an instance hold references; the first slot is the lowest
 * bit. */
uint32_t cereal_references(const struct hw_cereal_class *class, uint32_t word);

/* Returns the buckets of an item for this many slots: a bit for the kind, one per slot, the end bit. */
static inline uint32_t cereal_instance_buckets(uint32_t slots) { return (slots + 2 + 7) / 8; }

/* Returns bucket `index` of an instance's layout. */
uint8_t cereal_instance_bucket(const struct hw_cereal_class *class, uint32_t index);

static inline uint32_t cereal_hash(hw_ref klass) { return klass / sizeof(struct hw_klass) % CEREAL_HASH; }

/* Returns the class of objects with this class word; NULL if it is not registered. */
static inline const struct hw_cereal_class *hw_cereal_find(hw_ref klass) {
    for (uint32_t at = cereal_hash(klass);; at = (at + 1) % CEREAL_HASH) {
        const struct hw_cereal_class *class = hw_pointer(hw_cereal_by_klass[at]);

        if (__builtin_expect(!class || class->klass == klass, 1)) return class;
    }
}

/* Returns the slots behind the header of an array with `bytes` bytes of elements. */
static inline uint32_t cereal_element_slots(uint32_t bytes) { return (bytes + 7) / 8 * 2; }

/* Returns the value slots behind the header. `length` counts only for arrays. */
static inline uint32_t cereal_value_slots(const struct hw_cereal_class *class, uint32_t length) {
    if (class->size) return class->values;
    return class->kind == HW_KLASS_KIND_OBJECT_ARRAY ? length % 2 : cereal_element_slots(length << class->shift);
}

#endif
