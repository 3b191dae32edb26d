/* Unpacking: packets into buckets (docs/reference/cereal.md, "Packing"). */
#ifndef HW_CEREAL_CODEC_UNPACK_H
#define HW_CEREAL_CODEC_UNPACK_H

#include <stdbool.h>
#include <stdint.h>

#include "cereal/codec/pack.h"

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

#endif
