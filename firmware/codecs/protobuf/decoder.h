/* What the parts of the software deserializer share. Functions that read take
 * the next byte and answer the one after what they read, or NULL on an error,
 * which they have noted by `fail`. */
#ifndef HW_CODECS_PROTOBUF_DECODER_H
#define HW_CODECS_PROTOBUF_DECODER_H

#include <stddef.h>

#include "runtime/arena.h"

enum wire_type {
    WIRE_VARINT,
    WIRE_FIXED64,
    WIRE_LENGTH,
    WIRE_START_GROUP,
    WIRE_END_GROUP,
    WIRE_FIXED32,
};

struct decoder {
    struct hw_arena fixed;
    struct hw_arena flexible;
    const uint8_t *input_end;
    const uint8_t *error_at;
    int status;
    bool rejected;   /* the map entry that has just been read holds an undeclared number of a closed enum */
    bool incomplete; /* a message has ended without one of its required fields */
};

static inline const uint8_t *fail(struct decoder *decoder, int status, const uint8_t *at)
{
    decoder->status = status;
    decoder->error_at = at;
    return NULL;
}

#endif
