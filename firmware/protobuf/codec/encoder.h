/* What the parts of the software serializer share: an output that grows downwards, and objects that are not trusted. A
 * function that can fail returns false (or NULL) after it has stored the error. */
#ifndef HW_PROTOBUF_CODEC_ENCODER_H
#define HW_PROTOBUF_CODEC_ENCODER_H

#include <stdbool.h>

#include "runtime/descriptor.h"
#include "units/status.h"

struct encoder {
    uint8_t *at;     /* the first byte that is written so far */
    uint8_t *output; /* the lowest address that may be written */
    uint32_t bound;  /* objects lie in [bound, bound + span) */
    uint32_t span;   /* in bytes */
    hw_ref message;  /* the message that is being written */
    hw_ref fault;
    hw_status status;
};

static inline bool refuse(struct encoder *encoder, hw_status status, hw_ref object) {
    encoder->status = status;
    encoder->fault = object;
    return false;
}

/* Returns the object at a reference; NULL if its `bytes` bytes are not within the bounds, or not aligned. */
static inline const void *object_at(struct encoder *encoder, hw_ref reference, uint32_t bytes) {
    if (__builtin_expect(reference % HW_OBJECT_ALIGNMENT != 0 || bytes > encoder->span ||
                             reference - encoder->bound > encoder->span - bytes,
                         0)) {
        refuse(encoder, HW_STATUS_BAD_OBJECT, reference);
        return NULL;
    }
    return hw_pointer(reference);
}

/* Returns the array of `owner`, a string or a list. NULL, with `owner` as the object at fault, if the array or its
 * elements of 2^shift bytes are not within the bounds. */
static inline const struct hw_array *array_at(struct encoder *encoder, hw_ref reference, uint32_t shift, hw_ref owner) {
    const struct hw_array *array = object_at(encoder, reference, HW_OBJECT_ARRAY_ELEMENTS);

    if (array &&
        __builtin_expect(
            array->length <= (encoder->span - HW_OBJECT_ARRAY_ELEMENTS - (reference - encoder->bound)) >> shift, 1))
        return array;
    refuse(encoder, HW_STATUS_BAD_OBJECT, owner);
    return NULL;
}

/* Returns the address of `bytes` more bytes of output; NULL if there is no room. */
static inline uint8_t *take(struct encoder *encoder, uint32_t bytes) {
    if (__builtin_expect((uint32_t)(encoder->at - encoder->output) < bytes, 0)) {
        refuse(encoder, HW_STATUS_OUTPUT_FULL, 0);
        return NULL;
    }
    return encoder->at -= bytes;
}

/* The slow path of put_varint32: two bytes or more, or no room. */
bool protobuf_put_long_varint32(struct encoder *encoder, uint32_t value);

/* The slow path of put_varint64: more than 32 bits. */
bool protobuf_put_long_varint64(struct encoder *encoder, uint64_t value);

static inline bool put_varint32(struct encoder *encoder, uint32_t value) {
    if (__builtin_expect(value >= 0x80 || encoder->at == encoder->output, 0))
        return protobuf_put_long_varint32(encoder, value);
    *--encoder->at = (uint8_t)value;
    return true;
}

static inline bool put_varint64(struct encoder *encoder, uint64_t value) {
    if (__builtin_expect(value >> 32 != 0, 0)) return protobuf_put_long_varint64(encoder, value);
    return put_varint32(encoder, (uint32_t)value);
}

/* Writes the value at `slot`, of type HW_TYPE_*, not a reference. */
bool protobuf_put_scalar(struct encoder *encoder, uint32_t type, const void *slot);

/* Writes `count` consecutive values, the last one first. Each follows `key`; if `key` is 0 they are packed. */
bool protobuf_put_scalars(struct encoder *encoder, uint32_t type, const uint8_t *values, uint32_t count, uint32_t key);

#endif
