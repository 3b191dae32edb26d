#include "protobuf/messages/delimited.h"

#include <string.h>

#include "protobuf/messages/messages.h"

#define LENGTH_BYTES 5 /* the most that a length takes */

void hw_delimited_open(struct hw_delimited *stream, void *buffer, uint32_t size) {
    *stream = (struct hw_delimited){.buffer = buffer, .size = size};
}

void *hw_delimited_room(struct hw_delimited *stream, uint32_t *bytes) {
    memmove(stream->buffer, stream->buffer + stream->at, stream->end - stream->at);
    stream->position += stream->at;
    stream->end -= stream->at;
    stream->at = 0;
    *bytes = stream->size - stream->end;
    return stream->buffer + stream->end;
}

void hw_delimited_fill(struct hw_delimited *stream, uint32_t bytes) { stream->end += bytes; }

/* Reads the length at `stream->at`. Returns the bytes that it takes; 0 if it is not whole, LENGTH_BYTES + 1 if it is
 * bad. */
static uint32_t length_of(const struct hw_delimited *stream, uint32_t *length) {
    *length = 0;
    for (uint32_t i = 0; i < LENGTH_BYTES; i++) {
        if (stream->at + i == stream->end) return 0;
        uint8_t byte = stream->buffer[stream->at + i];

        if (i == LENGTH_BYTES - 1 && byte > 15) break;
        *length |= (uint32_t)(byte & 0x7f) << 7 * i;
        if (byte < 0x80) return i + 1;
    }
    return LENGTH_BYTES + 1;
}

bool hw_delimited_next(struct hw_delimited *stream, struct hw_bytes *message) {
    uint32_t length, bytes = length_of(stream, &length);

    if (stream->broken || bytes > LENGTH_BYTES ||
        (bytes != 0 && (bytes > stream->size || length > stream->size - bytes))) {
        stream->broken = true;
        hw_error_raise_at(HW_STATUS_BAD_LENGTH, stream->position + stream->at);
        return false;
    }
    if (bytes == 0 || length > stream->end - stream->at - bytes) return false;
    *message = (struct hw_bytes){stream->buffer + stream->at + bytes, length};
    stream->at += bytes + length;
    return true;
}

hw_handle hw_message_read_next(const struct hw_message_info *info, struct hw_delimited *stream) {
    struct hw_bytes message;

    return hw_delimited_next(stream, &message) ? hw_message_read(info, message.data, message.length) : NULL;
}

uint32_t hw_message_write_delimited(hw_handle message, const struct hw_message_info *info, void *output,
                                    uint32_t size) {
    uint8_t *start = output;
    struct hw_bytes written;
    uint32_t prefix = 1;

    /* The message is written to the end of the room, and the length in front of it. */
    if (!hw_message_write_to_end(message, info, start + 1, size != 0 ? size - 1 : 0, &written)) return 0;
    while (prefix < LENGTH_BYTES && written.length >> 7 * prefix != 0) prefix++;
    if (size == 0 || (uint32_t)(written.data - start) < prefix) {
        hw_error_raise(HW_STATUS_OUTPUT_FULL);
        return 0;
    }
    memmove(start + prefix, written.data, written.length);
    for (uint32_t i = 0; i < prefix; i++)
        start[i] = (uint8_t)((written.length >> 7 * i & 0x7f) | (i + 1 < prefix ? 0x80 : 0));
    return prefix + written.length;
}
