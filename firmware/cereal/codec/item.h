/* Items of numbers: the number in binary, an end bit, zeros up to the end of the bucket (docs/reference/cereal.md,
 * "Packed references"). */
#ifndef HW_CEREAL_CODEC_ITEM_H
#define HW_CEREAL_CODEC_ITEM_H

#include "cereal/codec/pack.h"
#include "cereal/codec/unpack.h"

/* Indexed by a byte: the number of 0 bits above its highest 1 bit; the number of bits from its lowest 1 bit down. */
extern const uint8_t cereal_leading[256], cereal_trailing[256];

/* Appends the item of a number less than 2^28. There must be room. */
static inline __attribute__((always_inline)) void cereal_put_number(struct cereal_packer *all, uint32_t number) {
    /* in registers: to the compiler, stores of buckets could change *all */
    struct cereal_packer copy = *all, *packer = &copy;
    uint32_t item = number << 1 | 1;

    if (item < 1u << 8) {
        cereal_put_bucket(packer, item << cereal_leading[item], true);
    } else if (item < 1u << 16) {
        item <<= cereal_leading[item >> 8];
        cereal_put_bucket(packer, item >> 8, false);
        cereal_put_bucket(packer, item, true);
    } else if (item < 1u << 24) {
        item <<= cereal_leading[item >> 16];
        cereal_put_bucket(packer, item >> 16, false);
        cereal_put_bucket(packer, item >> 8, false);
        cereal_put_bucket(packer, item, true);
    } else {
        item <<= cereal_leading[item >> 24];
        cereal_put_bucket(packer, item >> 24, false);
        cereal_put_bucket(packer, item >> 16, false);
        cereal_put_bucket(packer, item >> 8, false);
        cereal_put_bucket(packer, item, true);
    }
    *all = copy;
}

/* Not the number of any item, because it is at least 2^28. */
#define CEREAL_BAD_NUMBER UINT32_MAX

/* Returns the number of the next item, or CEREAL_BAD_NUMBER. */
static inline __attribute__((always_inline)) uint32_t cereal_take_number(struct cereal_unpacker *all) {
    struct cereal_unpacker copy = *all, *unpacker = &copy; /* in registers */
    uint32_t item = 0, number = CEREAL_BAD_NUMBER, bucket;
    bool last = false;

    for (int buckets = 1; buckets <= HW_CEREAL_REFERENCE_BUCKETS && !last; buckets++) {
        if (__builtin_expect(!cereal_unpack_sound(unpacker), 0)) return CEREAL_BAD_NUMBER;
        bucket = cereal_take_bucket(unpacker, &last);
        if (__builtin_expect(buckets == 1 && bucket < 0x80, 0)) return CEREAL_BAD_NUMBER;
        item = item << 8 | bucket;
        if (last && bucket) number = item >> cereal_trailing[bucket];
    }
    *all = copy;
    return number;
}

#endif
