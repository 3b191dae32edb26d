#include "codecs/protobuf/wire.h"

const uint8_t *read_long_varint(struct decoder *decoder, const uint8_t *at, const uint8_t *end, uint64_t *value)
{
    /* Three groups of 28 bits, so that no step shifts 64 bits. */
    uint32_t part[3] = {0, 0, 0};
    uint32_t available = end - at > MAX_VARINT_BYTES ? MAX_VARINT_BYTES : (uint32_t)(end - at);
    const uint8_t *next = at, *stop = at + available;

    for (int group = 0; group < 3; group++)
        for (uint32_t shift = 0; shift < 28; shift += 7) {
            if (__builtin_expect(next == stop, 0)) {
                int status = available == MAX_VARINT_BYTES ? HW_STATUS_VARINT_OVERFLOW : HW_STATUS_TRUNCATED;
                return fail(decoder, status, at);
            }
            uint32_t byte = *next++;
            part[group] |= (byte & 0x7f) << shift;
            if (byte < 0x80)
                goto complete;
        }
complete:
    *value = (uint64_t)(part[1] >> 4 | part[2] << 24) << 32 | (part[0] | part[1] << 28);
    return next;
}

/* Past the fields of a group up to its end. */
static const uint8_t *skip_group(struct decoder *decoder, const uint8_t *start_at, uint32_t number, const uint8_t *at,
                                 const uint8_t *end, uint32_t depth)
{
    if (depth == 0)
        return fail(decoder, HW_STATUS_DEPTH_EXCEEDED, start_at);
    while (at < end) {
        uint32_t key;
        const uint8_t *key_at = at;

        at = read_key(decoder, at, end, &key);
        if (!at)
            return NULL;
        if ((key & 7) == WIRE_END_GROUP)
            return key >> 3 == number ? at : fail(decoder, HW_STATUS_BAD_GROUP, key_at);
        at = skip_value(decoder, key_at, key, at, end, depth - 1);
        if (!at)
            return NULL;
    }
    return fail(decoder, HW_STATUS_BAD_GROUP, start_at);
}

const uint8_t *skip_value(struct decoder *decoder, const uint8_t *key_at, uint32_t key, const uint8_t *at,
                          const uint8_t *end, uint32_t depth)
{
    uint64_t ignored;
    uint32_t length;
    const uint8_t *next;

    switch (key & 7) {
    case WIRE_VARINT:
        return read_varint(decoder, at, end, &ignored);
    case WIRE_FIXED64:
        return end - at < 8 ? fail(decoder, HW_STATUS_TRUNCATED, at) : at + 8;
    case WIRE_FIXED32:
        return end - at < 4 ? fail(decoder, HW_STATUS_TRUNCATED, at) : at + 4;
    case WIRE_LENGTH:
        next = read_length(decoder, at, end, &length);
        return next ? next + length : NULL;
    case WIRE_START_GROUP:
        return skip_group(decoder, key_at, key >> 3, at, end, depth);
    default:
        return fail(decoder, HW_STATUS_BAD_GROUP, key_at);
    }
}
