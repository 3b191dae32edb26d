/* What the parts of the software deserializer share. Functions that read take the address of the next byte and return
 * that of the byte after what they read; NULL on an error, which `fail` has stored. */
#ifndef HW_PROTOBUF_CODEC_DECODER_H
#define HW_PROTOBUF_CODEC_DECODER_H

#include <stddef.h>

#include "runtime/arena.h"
#include "runtime/compiler.h"
#include "units/status.h"

/* For code that nearly every message needs. link.ld puts it side by side, so that it does not evict itself from a small
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
    const struct hw_type *valid; /* the table that was last found to be well formed */
    uint32_t mark;               /* copies of registers that every new object needs */
    hw_ref byte_string, byte_array;
    hw_status status;
    const uint8_t *error_at;
    bool rejected;   /* the map entry that has just been read has an undeclared value of a closed enum */
    bool incomplete; /* a message has ended without one of its required fields */
};

static inline const uint8_t *fail(struct decoder *decoder, hw_status status, const uint8_t *at) {
    decoder->status = status;
    decoder->error_at = at;
    return NULL;
}

#endif
