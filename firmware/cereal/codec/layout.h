/* Layouts of objects as items; their buckets are computed (docs/reference/cereal.md, "Packed layouts"). */
#ifndef HW_CEREAL_CODEC_LAYOUT_H
#define HW_CEREAL_CODEC_LAYOUT_H

#include "cereal/codec/class.h"
#include "cereal/codec/pack.h"

/* Append and match layouts that are not kept ready: arrays, and instances with many slots. */
bool cereal_put_other_layout(struct cereal_packer *packer, const struct hw_cereal_class *class, uint32_t length);
bool cereal_match_other_layout(struct cereal_unpacker *unpacker, const struct hw_cereal_class *class, uint32_t length);

/* Appends the item of an object, array or instance. Returns false if there is no room. */
static inline __attribute__((always_inline)) bool cereal_put_layout(struct cereal_packer *packer,
                                                                    const struct hw_cereal_class *class,
                                                                    uint32_t length) {
    uint32_t buckets = class->layout_buckets;

    if (buckets) {
        if (__builtin_expect(!cereal_pack_room(packer, buckets), 0)) return false;
        for (uint32_t i = 0; i < buckets; i++) cereal_put_bucket(packer, class->layout[i], i + 1 == buckets);
        return true;
    }
    struct cereal_packer copy = *packer; /* so that the caller's packer may stay in registers */
    bool done = cereal_put_other_layout(&copy, class, length);

    *packer = copy;
    return done;
}

/* Returns whether the next item is the layout of such an object. */
static inline __attribute__((always_inline)) bool cereal_match_layout(struct cereal_unpacker *unpacker,
                                                                      const struct hw_cereal_class *class,
                                                                      uint32_t length) {
    uint32_t buckets = class->layout_buckets, i = 0, differs;
    bool last;

    if (buckets == 0) return cereal_match_other_layout(unpacker, class, length);
    do {
        if (__builtin_expect(!cereal_unpack_sound(unpacker), 0)) return false;
        differs = cereal_take_bucket(unpacker, &last) ^ class->layout[i];
    } while (++i < buckets && !last && !differs);
    return i == buckets && last && !differs;
}

#endif
