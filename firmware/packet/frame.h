/* Packets in frames (docs/reference/monitor_protocol.md): 00, COBS of the packet, 00. */
#ifndef HW_PACKET_FRAME_H
#define HW_PACKET_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "records/packet.h"

/* Consistent overhead byte stuffing (COBS): encodes bytes so that none is zero, with at most one more byte per 254. A
 * zero then marks the end of a frame, and nothing else does. */

/* The most bytes that `size` bytes are encoded to. */
#define COBS_ENCODED_MAX(size) ((size) + (size) / 254 + 1)

/* The result of hw_cobs_decode for bytes that no encoder produces. */
#define COBS_ERROR ((size_t)-1)

/* Encodes `size` bytes into `output`, which has COBS_ENCODED_MAX(size) bytes. Returns the bytes written. */
size_t hw_cobs_encode(const uint8_t *data, size_t size, uint8_t *output);

/* Decodes in place. Returns the bytes left, or COBS_ERROR. */
size_t hw_cobs_decode(uint8_t *data, size_t size);

#define PACKET_HEADER ((uint32_t)sizeof(struct packet_head))
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
    uint32_t size; /* more than the buffer's size: the frame is too long and the rest is dropped */
    uint8_t buffer[FRAME_MAX];
};

enum frame_event {
    FRAME_NOTHING, /* the frame has not ended, or is empty */
    FRAME_PACKET,  /* *packet is complete and its CRC is right */
    FRAME_BAD,     /* a frame has ended that contains no valid packet */
};

/* Takes the next byte of the line. */
enum frame_event hw_frame_read(struct frame_reader *reader, uint8_t byte, struct packet *packet);

/* Makes the packet's frame, delimiters included, and sets its `crc`. Returns the bytes of the frame, which must have
 * room for FRAME_MAX + 2. `plain` is room for PACKET_MAX. */
uint32_t hw_frame_pack(struct packet *packet, uint8_t *plain, uint8_t *frame);

/* Sends the packet through `put` and sets its `crc`. Not reentrant. */
void hw_frame_write(struct packet *packet, void (*put)(uint8_t byte));

#endif
