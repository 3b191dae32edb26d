#include "cereal/codec/class.h"

#include <string.h>

#include "runtime/crc32.h"

struct hw_cereal_set hw_cereal_set;
struct hw_cereal_class hw_cereal_classes[HW_CEREAL_CLASSES];
hw_ref hw_cereal_by_klass[CEREAL_HASH];

void hw_cereal_forget(bool strip) {
    hw_cereal_set.count = hw_cereal_set.fingerprint = 0;
    hw_cereal_set.strip = strip;
    memset(hw_cereal_by_klass, 0, sizeof hw_cereal_by_klass);
}

/* A klass's bitmap begins at slot 2, with the metadata. */
#define FROM_SLOT_4(low, high) ((low) >> 2 | (high) << 30)

uint32_t cereal_references(const struct hw_cereal_class *class, uint32_t word) {
    const struct hw_klass *klass = hw_pointer(class->klass);

    if (!(klass->reference_bitmap & HW_KLASS_LONG_BITMAP))
        return word == 0 ? FROM_SLOT_4(klass->reference_bitmap, 0u) : 0;
    const uint32_t *words = hw_pointer(klass->reference_bitmap << 1);
    uint32_t low = word < words[0] ? words[1 + word] : 0, high = word + 1 < words[0] ? words[2 + word] : 0;

    return FROM_SLOT_4(low, high);
}

uint8_t cereal_instance_bucket(const struct hw_cereal_class *class, uint32_t index) {
    uint32_t bucket = 0;

    for (uint32_t at = 8 * index; at < 8 * index + 8; at++) {
        uint32_t slot = at - 1, bit = at == class->slots + 1;

        if (at >= 1 && slot < class->slots) bit = cereal_references(class, slot / 32) >> slot % 32 & 1;
        bucket = bucket << 1 | bit;
    }
    return (uint8_t)bucket;
}

static void add_to_fingerprint(const struct hw_cereal_class *class) {
    const struct hw_klass *klass = hw_pointer(class->klass);
    const char *name = hw_pointer(klass->name);
    uint8_t shape[6] = {(uint8_t)class->size,         (uint8_t)(class->size >> 8), (uint8_t)(class->size >> 16),
                        (uint8_t)(class->size >> 24), (uint8_t)class->kind,        (uint8_t)class->shift};
    uint32_t crc = hw_crc32(hw_cereal_set.fingerprint, name, strlen(name) + 1);

    crc = hw_crc32(crc, shape, sizeof shape);
    for (uint32_t i = 0; i < class->slots; i++) {
        uint8_t bit = cereal_references(class, i / 32) >> i % 32 & 1;

        crc = hw_crc32(crc, &bit, 1);
    }
    hw_cereal_set.fingerprint = crc;
}

static void add_instance(struct hw_cereal_class *class) {
    uint32_t buckets = cereal_instance_buckets(class->slots = class->size / 4 - HW_CEREAL_INSTANCE_HEADER);

    class->references = cereal_references(class, 0);
    for (uint32_t i = 0; i < class->slots; i++) class->values += !(cereal_references(class, i / 32) >> i % 32 & 1);
    if (buckets > CEREAL_LAYOUT_BUCKETS) return;
    class->layout_buckets = (uint8_t)buckets;
    for (uint32_t i = 0; i < buckets; i++) class->layout[i] = cereal_instance_bucket(class, i);
}

_Static_assert(HW_CEREAL_KIND_INSTANCE == HW_KLASS_KIND_INSTANCE &&
                   HW_CEREAL_KIND_VALUES == HW_KLASS_KIND_PRIMITIVE_ARRAY &&
                   HW_CEREAL_KIND_REFERENCES == HW_KLASS_KIND_OBJECT_ARRAY,
               "kinds of class");

static bool suits(const struct hw_klass *klass) {
    if (!(klass->flags & HW_KLASS_FLAG_METADATA) || klass->name == 0 || hw_cereal_set.count == HW_CEREAL_CLASSES)
        return false;
    switch (klass->kind) {
        case HW_KLASS_KIND_INSTANCE:
            return klass->object_size >= 4 * HW_CEREAL_INSTANCE_HEADER;
        case HW_KLASS_KIND_PRIMITIVE_ARRAY:
            return klass->object_size == 0 && klass->element_shift <= 3;
        case HW_KLASS_KIND_OBJECT_ARRAY:
            return klass->object_size == 0 && klass->element_shift == 2;
        default:
            return false;
    }
}

const struct hw_cereal_class *hw_cereal_add(const struct hw_klass *klass) {
    const struct hw_cereal_class *known = hw_cereal_find(hw_reference(klass));

    if (known || !suits(klass)) return known;
    struct hw_cereal_class *class = &hw_cereal_classes[hw_cereal_set.count];
    uint32_t at = cereal_hash(hw_reference(klass));

    *class = (struct hw_cereal_class){
        .klass = hw_reference(klass),
        .id = hw_cereal_set.count,
        .size = klass->object_size,
        .kind = klass->kind,
        .shift = klass->object_size ? 0 : klass->element_shift,
    };
    if (class->size) add_instance(class);
    add_to_fingerprint(class);
    while (hw_cereal_by_klass[at]) at = (at + 1) % CEREAL_HASH;
    hw_cereal_by_klass[at] = hw_reference(class);
    hw_cereal_set.count++;
    return class;
}
