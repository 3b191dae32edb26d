#include "packet/frame.h"

#include <string.h>

#include "runtime/crc32.h"

#define FULL_BLOCK 0xff /* code of a block of 254 bytes without a zero behind it */

size_t hw_cobs_encode(const uint8_t *data, size_t size, uint8_t *output) {
    size_t code_at = 0, at = 1;
    uint8_t code = 1;

    for (size_t i = 0; i < size; i++) {
        if (data[i] != 0) {
            output[at++] = data[i];
            code++;
        }
        if (data[i] == 0 || code == FULL_BLOCK) {
            output[code_at] = code;
            /* A full block at the very end needs no empty block behind it. */
            if (code == FULL_BLOCK && data[i] != 0 && i + 1 == size) return at;
            code = 1;
            code_at = at++;
        }
    }
    output[code_at] = code;
    return at;
}

size_t hw_cobs_decode(uint8_t *data, size_t size) {
    size_t from = 0, to = 0;

    if (size == 0) return COBS_ERROR;
    while (from < size) {
        uint8_t code = data[from++];

        if (code == 0 || code - 1u > size - from) return COBS_ERROR;
        for (unsigned i = 1; i < code; i++) {
            if (data[from] == 0) return COBS_ERROR;
            data[to++] = data[from++];
        }
        if (code != FULL_BLOCK && from < size) data[to++] = 0;
    }
    return to;
}

static enum frame_event unpack(uint8_t *frame, size_t size, struct packet *packet) {
    size_t bytes = size > FRAME_MAX ? COBS_ERROR : hw_cobs_decode(frame, size);
    struct packet_head head;

    if (bytes == COBS_ERROR || bytes < PACKET_HEADER + PACKET_CRC || bytes > PACKET_MAX) return FRAME_BAD;
    bytes -= PACKET_CRC;
    memcpy(&packet->crc, frame + bytes, PACKET_CRC);
    if (packet->crc != hw_crc32(0, frame, bytes)) return FRAME_BAD;
    memcpy(&head, frame, sizeof head);
    packet->sequence = head.sequence;
    packet->operation = head.operation;
    packet->status = head.status;
    packet->text = head.text;
    packet->length = (uint32_t)bytes - PACKET_HEADER;
    memcpy(packet->body, frame + PACKET_HEADER, packet->length);
    return FRAME_PACKET;
}

enum frame_event hw_frame_read(struct frame_reader *reader, uint8_t byte, struct packet *packet) {
    uint32_t size = reader->size;

    if (byte != 0) {
        if (size < FRAME_MAX) reader->buffer[size] = byte;
        if (size <= FRAME_MAX) reader->size = size + 1;
        return FRAME_NOTHING;
    }
    reader->size = 0;
    return size == 0 ? FRAME_NOTHING : unpack(reader->buffer, size, packet);
}

uint32_t hw_frame_pack(struct packet *packet, uint8_t *plain, uint8_t *frame) {
    size_t size = PACKET_HEADER + packet->length;
    const struct packet_head head = {
        .sequence = packet->sequence, .operation = packet->operation, .status = packet->status, .text = packet->text};

    memcpy(plain, &head, sizeof head);
    memcpy(plain + PACKET_HEADER, packet->body, packet->length);
    packet->crc = hw_crc32(0, plain, size);
    memcpy(plain + size, &packet->crc, PACKET_CRC);
    size = hw_cobs_encode(plain, size + PACKET_CRC, frame + 1);
    frame[0] = frame[size + 1] = 0;
    return (uint32_t)size + 2;
}

void hw_frame_write(struct packet *packet, void (*put)(uint8_t byte)) {
    static uint8_t plain[PACKET_MAX], frame[FRAME_MAX + 2];
    uint32_t size = hw_frame_pack(packet, plain, frame);

    for (uint32_t i = 0; i < size; i++) put(frame[i]);
}
