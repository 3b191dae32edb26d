/* Packets apart into buckets (docs/cereal.md, "Packing"). */
#ifndef HW_CEREAL_CODEC_UNPACK_H
#define HW_CEREAL_CODEC_UNPACK_H

#include <stdbool.h>
#include <stdint.h>

#include "cereal/codec/pack.h"

struct cereal_unpacker {
    const uint8_t *at;     /* the next bucket */
    const uint8_t *packet; /* its packet, which may be the section's limit */
    const uint8_t *limit;
    uint32_t ends;         /* end map of that packet, and a bit 7 if it has one */
};

/* No end map: it has a bit for what is no bucket. */
#define CEREAL_UNSOUND (1u << HW_CEREAL_PACKET_BUCKETS)

/* The next packet, if there is one; in its place a map that no packet has. */
static inline void cereal_unpack_packet(struct cereal_unpacker *unpacker, const uint8_t *packet)
{
    unpacker->packet = packet;
    unpacker->at = packet + 1;
    unpacker->ends = packet < unpacker->limit ? packet[0] : CEREAL_UNSOUND;
}

static inline struct cereal_unpacker cereal_unpack_begin(const uint8_t *start, uint32_t bytes)
{
    struct cereal_unpacker unpacker = {.limit = start + bytes};

    cereal_unpack_packet(&unpacker, start);
    return unpacker;
}

/* Whether there is a next bucket, in a packet with a sound end map. */
static inline bool cereal_unpack_sound(const struct cereal_unpacker *unpacker)
{
    return unpacker->ends < CEREAL_UNSOUND;
}

/* The next bucket of a sound packet. */
static inline uint32_t cereal_take_bucket(struct cereal_unpacker *unpacker, bool *last)
{
    const uint8_t *at = unpacker->at, *packet = unpacker->packet;
    uint32_t bucket = *at++;

    *last = unpacker->ends >> (at - packet - 2) & 1;
    unpacker->at = at;
    if (at == packet + HW_CEREAL_PACKET_BYTES)
        cereal_unpack_packet(unpacker, at);
    return bucket;
}

/* Where the next bucket lies, for an error. */
static inline const uint8_t *cereal_unpack_where(const struct cereal_unpacker *unpacker)
{
    return unpacker->packet < unpacker->limit ? unpacker->at : unpacker->limit;
}

/* Whether nothing but zeros, and less than 16 bytes of packets, is behind the last item. */
bool cereal_unpack_ended(const struct cereal_unpacker *unpacker);

#endif
