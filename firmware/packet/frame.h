/* Packets in frames (docs/monitor_protocol.md): 00, COBS of the packet, 00. */
#ifndef HW_PACKET_FRAME_H
#define HW_PACKET_FRAME_H

#include <stdbool.h>

#include "packet/cobs.h"

#define PACKET_BODY_MAX 1008
#define PACKET_HEADER 4
#define PACKET_CRC 4
#define PACKET_MAX (PACKET_HEADER + PACKET_BODY_MAX + PACKET_CRC)
#define FRAME_MAX COBS_ENCODED_MAX(PACKET_MAX) /* without its delimiters */

struct packet {
    uint8_t sequence, operation, status, text;
    uint8_t body[PACKET_BODY_MAX];
    uint32_t length; /* of the body */
    uint32_t crc;    /* as received, or as sent */
};

/* Collects the bytes of one frame. */
struct frame_reader {
    uint32_t size; /* beyond the buffer's: too long, the rest is dropped */
    uint8_t buffer[FRAME_MAX];
};

enum frame_event {
    FRAME_NOTHING, /* not at its end yet, or empty */
    FRAME_PACKET,  /* *packet is whole and its CRC is right */
    FRAME_BAD,     /* a frame ended that holds no packet */
};

/* Takes the next byte of the line. */
enum frame_event frame_read(struct frame_reader *reader, uint8_t byte, struct packet *packet);

/* Makes the packet's frame, delimiters included, and fills its `crc`: the bytes of the frame, which must have room for FRAME_MAX
 * + 2. `plain` is room for PACKET_MAX. */
uint32_t frame_pack(struct packet *packet, uint8_t *plain, uint8_t *frame);

/* Sends the packet through `put` and fills its `crc`. One at a time. */
void frame_write(struct packet *packet, void (*put)(uint8_t byte));

#endif
