/* Access to the words of packet bodies, which are not aligned. */
#ifndef HW_PACKET_BODY_H
#define HW_PACKET_BODY_H

#include <string.h>

#include "packet/frame.h"

static inline uint32_t word_at(const struct packet *packet, unsigned index) {
    uint32_t word;

    memcpy(&word, packet->body + 4 * index, 4);
    return word;
}

static inline void append(struct packet *packet, uint32_t word) {
    memcpy(packet->body + packet->length, &word, 4);
    packet->length += 4;
}

#endif
