/* Layouts of objects as items: their buckets, computed (docs/cereal.md, "Packed layouts"). */
#ifndef HW_CODECS_CEREAL_LAYOUT_H
#define HW_CODECS_CEREAL_LAYOUT_H

#include "codecs/cereal/class.h"
#include "codecs/cereal/pack.h"
#include "codecs/cereal/unpack.h"

/* Buckets of an item that tells of so many slots: a bit of the kind, one a slot, the end bit. */
static inline uint32_t cereal_instance_buckets(uint32_t slots)
{
    return (slots + 2 + 7) / 8;
}

/* Bucket `index` of an instance's. */
uint8_t cereal_instance_bucket(const struct hw_cereal_class *class, uint32_t index);

/* The item of an object, array or instance, goes behind the others; false: no room. */
bool cereal_put_layout(struct cereal_packer *packer, const struct hw_cereal_class *class, uint32_t length);

/* Whether the next item is the layout of such an object. */
bool cereal_match_layout(struct cereal_unpacker *unpacker, const struct hw_cereal_class *class, uint32_t length);

#endif
