/* Packing: items of bits into buckets, buckets into packets (docs/reference/cereal.md, "Packing"). */
#ifndef HW_CEREAL_CODEC_PACK_H
#define HW_CEREAL_CODEC_PACK_H

#include <stdbool.h>
#include <stdint.h>

#include "heapwire.h"

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

#endif
