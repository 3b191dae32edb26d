/* Keys, varints and lengths.
 *
 * As in the unit, the offset of an error is that of the field's key, or of the element in a packed field. Of several
 * errors the first in this list is reported: the key or its value extends beyond the end of its message (TRUNCATED if
 * the input ends there, else BAD_LENGTH), VARINT_OVERFLOW of the key, FIELD_NUMBER_ZERO, BAD_WIRE_TYPE, VARINT_OVERFLOW
 * of the value, a length that extends beyond the end. `origin` is the start of that key or element. */
#ifndef HW_PROTOBUF_CODEC_WIRE_H
#define HW_PROTOBUF_CODEC_WIRE_H

#include "protobuf/codec/decoder.h"

#define MAX_VARINT_BYTES 10

/* Reports that something extends beyond `end`, the end of a message or of a packed field. */
static inline const uint8_t *fail_past(struct decoder *decoder, const uint8_t *end, const uint8_t *origin) {
    return fail(decoder, end == decoder->input_end ? HW_STATUS_TRUNCATED : HW_STATUS_BAD_LENGTH, origin);
}

/* The slow path of read_varint: two bytes or more. */
const uint8_t *protobuf_read_long_varint(struct decoder *decoder, const uint8_t *origin, const uint8_t *at,
                                         const uint8_t *end, uint64_t *value);

/* The slow path of read_key: two bytes or more, or an invalid key. */
const uint8_t *protobuf_read_long_key(struct decoder *decoder, const uint8_t *at, const uint8_t *end, uint32_t *key);

/* Reads a varint of at most ten bytes; bits beyond 64 are dropped. */
static inline const uint8_t *read_varint(struct decoder *decoder, const uint8_t *origin, const uint8_t *at,
                                         const uint8_t *end, uint64_t *value) {
    if (__builtin_expect(at < end && *at < 0x80, 1)) {
        *value = *at;
        return at + 1;
    }
    return protobuf_read_long_varint(decoder, origin, at, end, value);
}

/* Reads a key with a valid field number and wire type. `at` must be below `end`. */
static inline const uint8_t *read_key(struct decoder *decoder, const uint8_t *at, const uint8_t *end, uint32_t *key) {
    uint32_t first = *at;

    *key = first;
    if (__builtin_expect(first >= 8 && first < 0x80 && (first & 7) <= WIRE_FIXED32, 1)) return at + 1;
    return protobuf_read_long_key(decoder, at, end, key);
}

/* Reads a length and checks that this many bytes follow. */
static inline const uint8_t *read_length(struct decoder *decoder, const uint8_t *origin, const uint8_t *at,
                                         const uint8_t *end, uint32_t *length) {
    uint64_t value;
    const uint8_t *next = read_varint(decoder, origin, at, end, &value);

    if (!next) return NULL;
    if (__builtin_expect(value > (uint64_t)(end - next), 0)) return fail_past(decoder, end, origin);
    *length = (uint32_t)value;
    return next;
}

/* Skips the value of an unknown field whose key has been read. `depth` more levels may nest. */
const uint8_t *protobuf_skip_value(struct decoder *decoder, const uint8_t *origin, uint32_t key, const uint8_t *at,
                                   const uint8_t *end, uint32_t depth);

#endif
