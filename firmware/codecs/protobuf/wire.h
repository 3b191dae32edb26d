/* Varints and lengths. */
#ifndef HW_CODECS_PROTOBUF_WIRE_H
#define HW_CODECS_PROTOBUF_WIRE_H

#include "codecs/protobuf/decoder.h"

#define MAX_VARINT_BYTES 10

/* The slow path of read_varint: two bytes and more. */
const uint8_t *read_long_varint(struct decoder *decoder, const uint8_t *at, const uint8_t *end, uint64_t *value);

/* A varint of at most ten bytes; bits beyond 64 are dropped. */
static inline const uint8_t *read_varint(struct decoder *decoder, const uint8_t *at, const uint8_t *end, uint64_t *value)
{
    if (__builtin_expect(at < end && *at < 0x80, 1)) {
        *value = *at;
        return at + 1;
    }
    return read_long_varint(decoder, at, end, value);
}

/* A key: a varint of at most 32 bits, with a field number and a wire type that exist. */
static inline const uint8_t *read_key(struct decoder *decoder, const uint8_t *at, const uint8_t *end, uint32_t *key)
{
    uint64_t value;
    const uint8_t *next = read_varint(decoder, at, end, &value);

    if (!next)
        return NULL;
    *key = (uint32_t)value;
    if (__builtin_expect(value >> 32 != 0, 0))
        return fail(decoder, HW_STATUS_VARINT_OVERFLOW, at);
    if (__builtin_expect((value & 7) > WIRE_FIXED32, 0))
        return fail(decoder, HW_STATUS_BAD_WIRE_TYPE, at);
    if (__builtin_expect(value < 8, 0))
        return fail(decoder, HW_STATUS_FIELD_NUMBER_ZERO, at);
    return next;
}

/* A length that fits into what follows it. */
static inline const uint8_t *read_length(struct decoder *decoder, const uint8_t *at, const uint8_t *end, uint32_t *length)
{
    uint64_t value;
    const uint8_t *next = read_varint(decoder, at, end, &value);

    if (!next)
        return NULL;
    if (value > (uint64_t)(end - next))
        return fail(decoder, HW_STATUS_BAD_LENGTH, at);
    *length = (uint32_t)value;
    return next;
}

/* Past the value of an unknown field whose key, at `key_at`, has been read.
 * `depth` more levels may nest. */
const uint8_t *skip_value(struct decoder *decoder, const uint8_t *key_at, uint32_t key, const uint8_t *at,
                          const uint8_t *end, uint32_t depth);

#endif
