#include "packet/frame.h"

#include <string.h>

#include "runtime/crc32.h"

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
