#include "protobuf/codec/encoder.h"

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
