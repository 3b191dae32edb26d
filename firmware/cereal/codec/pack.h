/* Items of bits into buckets, buckets into packets (docs/cereal.md, "Packing"). */
#ifndef HW_CEREAL_CODEC_PACK_H
#define HW_CEREAL_CODEC_PACK_H

#include <stdbool.h>
#include <stdint.h>

#include "heapwire.h"

/* What is behind `at` in its packet, and the packet's end map, is written when it is full, or by cereal_pack_end. */
struct cereal_packer {
    uint8_t *packet; /* the one that is being filled */
    uint8_t *at;     /* of the next bucket; the packet's end: no bucket is in the next one yet */
    uint32_t ends;   /* its end map so far */
    uint8_t *limit;  /* packets end here at the latest */
};

static inline struct cereal_packer cereal_pack_begin(uint8_t *start, uint8_t *limit)
{
    return (struct cereal_packer){.packet = start, .at = start + 1, .limit = limit};
}

/* Another bucket, for which there is room. */
static inline __attribute__((always_inline)) void cereal_put_bucket(struct cereal_packer *packer, uint32_t bucket, bool last)
{
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

/* Whether `buckets` more buckets find room. */
static inline bool cereal_pack_room(const struct cereal_packer *packer, uint32_t buckets)
{
    uint32_t packets = (uint32_t)(packer->at - packer->packet + buckets + HW_CEREAL_PACKET_BYTES - 3) / HW_CEREAL_PACKET_BUCKETS;

    return (uint32_t)(packer->limit - packer->packet) >= packets * HW_CEREAL_PACKET_BYTES;
}

/* Zeros up to a multiple of 16 bytes from `start`. The section's bytes, 0 if there is no room for the zeros and there
 * is anything. */
uint32_t cereal_pack_end(struct cereal_packer *packer, uint8_t *start, bool *room);

#endif
