/* Packing: items of bits into buckets, buckets into packets, and back (docs/reference/cereal.md, "Packing"). An item of
 * a number is the number in binary, an end bit, zeros up to the end of the bucket ("Packed references"). */
#ifndef HW_CEREAL_CODEC_PACK_H
#define HW_CEREAL_CODEC_PACK_H

#include <stdbool.h>
#include <stdint.h>

#include "heapwire.h"
#include "cereal/codec/class.h"

/* A packet's end map is written when the packet is full, or by cereal_pack_end, which also writes the bytes behind
 * `at`. */
struct cereal_packer {
    uint8_t *packet; /* the packet that is being filled */
    uint8_t *at;     /* where the next bucket goes; if the last packet is full, in the next one */
    uint32_t ends;   /* its end map so far */
    uint8_t *limit;  /* the end of the room for packets */
};

static inline struct cereal_packer cereal_pack_begin(uint8_t *start, uint8_t *limit) {
    return (struct cereal_packer){.packet = start, .at = start + 1, .limit = limit};
}

/* Appends a bucket. There must be room. */
static inline __attribute__((always_inline)) void cereal_put_bucket(struct cereal_packer *packer, uint32_t bucket,
                                                                    bool last) {
    uint8_t *at = packer->at, *packet = packer->packet;

    *at++ = (uint8_t)bucket;
    packer->ends |= (uint32_t)last << (at - packet - 2);
    if (at == packet + HW_CEREAL_PACKET_BYTES) {
        packet[0] = (uint8_t)packer->ends;
        packer->ends = 0;
        packer->packet = at++;
    }
    packer->at = at;
}

/* Returns whether there is room for `buckets` more buckets. */
static inline bool cereal_pack_room(const struct cereal_packer *packer, uint32_t buckets) {
    uint32_t packets =
        (uint32_t)(packer->at - packer->packet + buckets + HW_CEREAL_PACKET_BYTES - 3) / HW_CEREAL_PACKET_BUCKETS;

    return (uint32_t)(packer->limit - packer->packet) >= packets * HW_CEREAL_PACKET_BYTES;
}

/* Fills up with zeros to a multiple of 16 bytes from `start`. Returns the section's bytes. Returns 0, with `*room`
 * false, if there is no room for the zeros, and 0 if the section is empty. */
uint32_t cereal_pack_end(struct cereal_packer *packer, uint8_t *start, bool *room);

struct cereal_unpacker {
    const uint8_t *at;     /* the next bucket */
    const uint8_t *packet; /* the packet of that bucket, or the section's limit */
    const uint8_t *limit;
    uint32_t ends; /* the end map of that packet; CEREAL_UNSOUND if there is no packet */
};

/* No sound end map: the highest bit, for which there is no bucket, is set. */
#define CEREAL_UNSOUND (1u << HW_CEREAL_PACKET_BUCKETS)

/* Goes to the next packet. If there is none, sets an end map that no packet may have. */
static inline void cereal_unpack_packet(struct cereal_unpacker *unpacker, const uint8_t *packet) {
    unpacker->packet = packet;
    unpacker->at = packet + 1;
    unpacker->ends = packet < unpacker->limit ? packet[0] : CEREAL_UNSOUND;
}

static inline struct cereal_unpacker cereal_unpack_begin(const uint8_t *start, uint32_t bytes) {
    struct cereal_unpacker unpacker = {.limit = start + bytes};

    cereal_unpack_packet(&unpacker, start);
    return unpacker;
}

/* Returns whether there is a next bucket, in a packet with a sound end map. */
static inline bool cereal_unpack_sound(const struct cereal_unpacker *unpacker) {
    return unpacker->ends < CEREAL_UNSOUND;
}

/* Takes the next bucket of a sound packet. */
static inline uint32_t cereal_take_bucket(struct cereal_unpacker *unpacker, bool *last) {
    const uint8_t *at = unpacker->at, *packet = unpacker->packet;
    uint32_t bucket = *at++;

    *last = unpacker->ends >> (at - packet - 2) & 1;
    unpacker->at = at;
    if (at == packet + HW_CEREAL_PACKET_BYTES) cereal_unpack_packet(unpacker, at);
    return bucket;
}

/* Returns where the next bucket lies, to report an error. */
static inline const uint8_t *cereal_unpack_where(const struct cereal_unpacker *unpacker) {
    return unpacker->packet < unpacker->limit ? unpacker->at : unpacker->limit;
}

/* Returns whether only zeros follow the last item, in less than 16 bytes of packets. */
bool cereal_unpack_ended(const struct cereal_unpacker *unpacker);

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

/* Layouts of objects as items; their buckets are computed (docs/reference/cereal.md, "Packed layouts"). */

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
