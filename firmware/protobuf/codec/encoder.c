#include "protobuf/codec/encoder.h"

#include <string.h>

#define GROUP_BITS 28
#define GROUP_BYTES 4

__attribute__((hot)) bool protobuf_put_long_varint32(struct encoder *encoder, uint32_t value) {
    uint32_t bytes = value < 1u << 7 ? 1 : value < 1u << 14 ? 2 : value < 1u << 21 ? 3 : value < 1u << 28 ? 4 : 5;
    uint8_t *to = take(encoder, bytes);

    if (!to) return false;
    for (; value >= 0x80; value >>= 7) *to++ = (uint8_t)value | 0x80;
    *to = (uint8_t)value;
    return true;
}

/* Writes 28 bits that are followed by more. Working in such groups avoids shifts of 64 bits. */
static bool put_group(struct encoder *encoder, uint32_t value) {
    uint8_t *to = take(encoder, GROUP_BYTES);

    for (uint32_t i = 0; to && i < GROUP_BYTES; i++, value >>= 7) to[i] = (uint8_t)value | 0x80;
    return to != NULL;
}

bool protobuf_put_long_varint64(struct encoder *encoder, uint64_t value) {
    uint32_t low = (uint32_t)value, high = (uint32_t)(value >> 32);
    uint32_t middle = (low >> GROUP_BITS | high << (32 - GROUP_BITS)) & ((1u << GROUP_BITS) - 1);
    uint32_t top = high >> (2 * GROUP_BITS - 32);

    if (top != 0 ? !put_varint32(encoder, top) || !put_group(encoder, middle) : !put_varint32(encoder, middle))
        return false;
    return put_group(encoder, low);
}

/* The encodings of HW_FIELD_TYPES. */
enum encoding { UNSIGNED32, SIGNED32, ZIGZAG32, VARINT64, ZIGZAG64, BOOLEAN, FIXED32, FIXED64, BYTES, MESSAGE, GROUP };

/* A switch, because it merges with that of put_encoded. */
#define ENCODING(name, code, wire, shift, list, encoding) \
    case code:                                            \
        return encoding;

static inline enum encoding encoding_of(uint32_t type) {
    switch (type) {
        HW_FIELD_TYPES(ENCODING)
        default:
            return VARINT64;
    }
}

static inline bool put_bytes(struct encoder *encoder, const void *from, uint32_t bytes) {
    uint8_t *to = take(encoder, bytes);

    if (to) memcpy(to, from, bytes);
    return to != NULL;
}

static inline __attribute__((always_inline)) bool put_encoded(struct encoder *encoder, enum encoding encoding,
                                                              const void *slot) {
    uint32_t word = encoding == BOOLEAN ? 0 : *(const uint32_t *)slot;
    uint64_t wide;

    switch (encoding) {
        case UNSIGNED32:
            return put_varint32(encoder, word);
        case SIGNED32:
            return (int32_t)word < 0 ? protobuf_put_long_varint64(encoder, (uint64_t)(int64_t)(int32_t)word)
                                     : put_varint32(encoder, word);
        case ZIGZAG32:
            return put_varint32(encoder, word << 1 ^ -(word >> 31));
        case VARINT64:
            return put_varint64(encoder, *(const uint64_t *)slot);
        case ZIGZAG64:
            wide = *(const uint64_t *)slot;
            return put_varint64(encoder, wide << 1 ^ -(wide >> 63));
        case BOOLEAN:
            return put_varint32(encoder, *(const uint8_t *)slot != 0);
        case FIXED32:
            return put_bytes(encoder, slot, 4);
        default:
            return put_bytes(encoder, slot, 8);
    }
}

__attribute__((hot)) bool protobuf_put_scalar(struct encoder *encoder, uint32_t type, const void *slot) {
    return put_encoded(encoder, encoding_of(type), slot);
}

/* Inlined, so that each encoding has a loop of its own. */
static inline __attribute__((always_inline)) bool put_all(struct encoder *encoder, enum encoding encoding,
                                                          uint32_t size, const uint8_t *values, uint32_t count,
                                                          uint32_t key) {
    for (const uint8_t *value = values + count * size; value > values;)
        if (!put_encoded(encoder, encoding, value -= size) || (key != 0 && !put_varint32(encoder, key))) return false;
    return true;
}

bool protobuf_put_scalars(struct encoder *encoder, uint32_t type, const uint8_t *values, uint32_t count, uint32_t key) {
    switch (encoding_of(type)) {
        case UNSIGNED32:
            return put_all(encoder, UNSIGNED32, 4, values, count, key);
        case SIGNED32:
            return put_all(encoder, SIGNED32, 4, values, count, key);
        case ZIGZAG32:
            return put_all(encoder, ZIGZAG32, 4, values, count, key);
        case VARINT64:
            return put_all(encoder, VARINT64, 8, values, count, key);
        case ZIGZAG64:
            return put_all(encoder, ZIGZAG64, 8, values, count, key);
        case BOOLEAN:
            return put_all(encoder, BOOLEAN, 1, values, count, key);
        case FIXED32:
            return key == 0 ? put_bytes(encoder, values, 4 * count) : put_all(encoder, FIXED32, 4, values, count, key);
        default:
            return key == 0 ? put_bytes(encoder, values, 8 * count) : put_all(encoder, FIXED64, 8, values, count, key);
    }
}
