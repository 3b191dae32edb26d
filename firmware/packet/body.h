/* Access to packet bodies, whose words and records are not aligned. */
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

/* Copies the record with which a body begins. */
static inline void take_record(const struct packet *packet, void *record, uint32_t bytes) {
    memcpy(record, packet->body, bytes);
}

static inline void append_record(struct packet *packet, const void *record, uint32_t bytes) {
    memcpy(packet->body + packet->length, record, bytes);
    packet->length += bytes;
}

#endif
