/* What the parts of the software serializer share: an output that grows downwards, and objects that are not trusted. A
 * function that writes takes the address behind what it writes and returns that of its first byte; NULL on an error,
 * which `refuse` has stored. */
#ifndef HW_PROTOBUF_CODEC_ENCODER_H
#define HW_PROTOBUF_CODEC_ENCODER_H

#include <stdbool.h>
#include <stddef.h>

#include "runtime/compiler.h"
#include "runtime/descriptor.h"
#include "units/status.h"

struct encoder {
    uint8_t *output;             /* the lowest address that may be written */
    uint32_t bound;              /* objects lie in [bound, bound + span) */
    uint32_t span;               /* in bytes */
    const struct hw_type *valid; /* the table that was last found to be well formed */
    hw_ref message;              /* the message that is being written */
    hw_ref fault;
    hw_status status;
};

static inline void *refuse(struct encoder *encoder, hw_status status, hw_ref object) {
    encoder->status = status;
    encoder->fault = object;
    return NULL;
}

/* Returns the object at a reference; NULL if its `bytes` bytes are not within the bounds, or not aligned. */
static inline const void *object_at(struct encoder *encoder, hw_ref reference, uint32_t bytes) {
    if (UNLIKELY(reference % HW_OBJECT_ALIGNMENT != 0 || bytes > encoder->span ||
                 reference - encoder->bound > encoder->span - bytes))
        return refuse(encoder, HW_STATUS_BAD_OBJECT, reference);
    return hw_pointer(reference);
}

/* Returns the array of `owner`, a string or a list. NULL, with `owner` as the object at fault, if the array or its
 * elements of 2^shift bytes are not within the bounds. */
static inline const struct hw_array *array_at(struct encoder *encoder, hw_ref reference, uint32_t shift, hw_ref owner) {
    const struct hw_array *array = object_at(encoder, reference, HW_OBJECT_ARRAY_ELEMENTS);

    if (array &&
        LIKELY(array->length <= (encoder->span - HW_OBJECT_ARRAY_ELEMENTS - (reference - encoder->bound)) >> shift))
        return array;
    return refuse(encoder, HW_STATUS_BAD_OBJECT, owner);
}

/* Returns the address `bytes` bytes below `at`; NULL if there is no room. */
static inline uint8_t *take(struct encoder *encoder, uint8_t *at, uint32_t bytes) {
    if (UNLIKELY((uint32_t)(at - encoder->output) < bytes)) return refuse(encoder, HW_STATUS_OUTPUT_FULL, 0);
    return at - bytes;
}

/* The slow path of put_varint32: two bytes or more, or no room. */
uint8_t *protobuf_put_long_varint32(struct encoder *encoder, uint8_t *at, uint32_t value);

/* Writes a varint of more than 32 bits. */
uint8_t *protobuf_put_wide_varint(struct encoder *encoder, uint8_t *at, uint32_t low, uint32_t high);

static inline uint8_t *put_varint32(struct encoder *encoder, uint8_t *at, uint32_t value) {
    if (UNLIKELY(value >= 0x80 || at == encoder->output)) return protobuf_put_long_varint32(encoder, at, value);
    *--at = (uint8_t)value;
    return at;
}

#define SET(type) (1u << HW_TYPE_##type)

/* Sets of field types. */
#define SCALARS_FIXED (SET(DOUBLE) | SET(FIXED64) | SET(SFIXED64) | SET(FLOAT) | SET(FIXED32) | SET(SFIXED32))
#define SCALARS_WIDE (SET(DOUBLE) | SET(FIXED64) | SET(SFIXED64) | SET(INT64) | SET(UINT64) | SET(SINT64))
#define SCALARS_SIGNED32 (SET(INT32) | SET(ENUM))
#define SCALARS_ZIGZAG (SET(SINT32) | SET(SINT64))

static inline uint8_t *put_fixed32(uint8_t *at, uint32_t value) {
    at -= 4;
    for (uint32_t i = 0; i < 4; i++) at[i] = (uint8_t)(value >> 8 * i);
    return at;
}

/* Writes the value at `slot`, of type HW_TYPE_*, not a reference. Writes nothing, and returns `at`, for a zero that is
 * to be left out. */
ALWAYS_INLINE uint8_t *put_scalar(struct encoder *encoder, uint8_t *at, uint32_t type, const void *slot,
                                  bool leave_out_zero) {
    uint32_t low, high = 0;

    if (type == HW_TYPE_BOOL) {
        low = *(const uint8_t *)slot != 0;
    } else {
        low = *(const uint32_t *)slot;
        if (SCALARS_WIDE >> type & 1) high = ((const uint32_t *)slot)[1];
    }
    if (leave_out_zero && (low | high) == 0) return at;
    if (SCALARS_FIXED >> type & 1) {
        if (UNLIKELY(!take(encoder, at, SCALARS_WIDE >> type & 1 ? 8 : 4))) return NULL;
        return put_fixed32(SCALARS_WIDE >> type & 1 ? put_fixed32(at, high) : at, low);
    }
    if (SCALARS_ZIGZAG >> type & 1) {
        uint32_t sign = SCALARS_WIDE >> type & 1 ? -(high >> 31) : -(low >> 31);

        if (SCALARS_WIDE >> type & 1) high = (high << 1 | low >> 31) ^ sign;
        low = low << 1 ^ sign;
    } else if (SCALARS_SIGNED32 >> type & 1) {
        high = -(low >> 31);
    }
    return LIKELY(high == 0) ? put_varint32(encoder, at, low) : protobuf_put_wide_varint(encoder, at, low, high);
}

/* Writes `count` consecutive values, the last one first. Each follows `key`; if `key` is 0 they are packed. */
uint8_t *protobuf_put_scalars(struct encoder *encoder, uint8_t *at, uint32_t type, const uint8_t *values,
                              uint32_t count, uint32_t key);

/* Writes the byte string at `reference` with its length and the key of `field`; nothing, and returns `at`, if it is
 * empty and the field has implicit presence. */
uint8_t *protobuf_put_string(struct encoder *encoder, uint8_t *at, hw_ref reference, const struct hw_field *field);

#endif
