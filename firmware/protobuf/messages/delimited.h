/* Messages one after the other, each behind its length as a varint, in a buffer that fills as the bytes come:
 *
 *   hw_delimited_open(&stream, buffer, sizeof buffer);
 *   for (;;) {
 *       void *room = hw_delimited_room(&stream, &bytes);
 *       hw_delimited_fill(&stream, receive(room, bytes));
 *       while ((order = shop_Order_read_next(&stream)).handle || hw_error_clear() != HW_STATUS_OK)
 *           if (stream.broken) ... a length was bad: the stream ends here
 *           else if (order.handle) ... else ... a malformed message was passed over
 *   }
 *
 * There is room once all whole messages are taken. */
#ifndef HW_PROTOBUF_MESSAGES_DELIMITED_H
#define HW_PROTOBUF_MESSAGES_DELIMITED_H

#include "runtime/message.h"

struct hw_delimited {
    uint8_t *buffer;
    uint32_t size;
    uint32_t at, end;  /* the bytes that are there and not taken */
    uint32_t position; /* of `buffer` in the stream */
    bool broken;       /* a length was bad: where the next message begins is not known */
};

/* Begins with an empty buffer. The longest message with its length must fit into it. */
void hw_delimited_open(struct hw_delimited *stream, void *buffer, uint32_t size);

/* Returns where the next bytes go, and how many fit. Moves what is there, so bytes of hw_delimited_next end here. */
void *hw_delimited_room(struct hw_delimited *stream, uint32_t *bytes);

/* Tells that the next `bytes` bytes are there. */
void hw_delimited_fill(struct hw_delimited *stream, uint32_t bytes);

/* Takes the next message and stores its bytes. Returns false if it is not whole yet, and with HW_STATUS_BAD_LENGTH, at
 * this call and all later ones, if its length is no varint of 32 bits or is too long for the buffer. The error's offset
 * is that of the length in the stream. */
bool hw_delimited_next(struct hw_delimited *stream, struct hw_bytes *message);

#endif
