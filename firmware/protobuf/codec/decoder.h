/* What the parts of the software deserializer share. Functions that read take
 * the next byte and answer the one after what they read, or NULL on an error,
 * which they have noted by `fail`. */
#ifndef HW_PROTOBUF_CODEC_DECODER_H
#define HW_PROTOBUF_CODEC_DECODER_H

#include <stddef.h>

#include "runtime/arena.h"
#include "runtime/compiler.h"

/* What nearly every message needs. link.ld puts it side by side, so that it does not displace itself from a small
 * instruction cache. */
#define HOT __attribute__((hot, noinline))

enum wire_type {
    WIRE_VARINT,
    WIRE_FIXED64,
    WIRE_LENGTH,
    WIRE_START_GROUP,
    WIRE_END_GROUP,
    WIRE_FIXED32,
};

struct hw_type;

struct decoder {
    struct hw_arena fixed;
    struct hw_arena flexible;
    const uint8_t *input_end;
    const struct hw_type *valid; /* the table that was found to be well formed last */
    uint32_t mark;               /* what hw_registers has for every new object */
    hw_ref byte_string, byte_array;
    int status;
    const uint8_t *error_at;
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
