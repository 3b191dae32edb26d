#include "protobuf/codec/decoder.h"
#include "runtime/registers.h"

HOT const uint8_t *protobuf_read_wide_varint(struct decoder *decoder, const uint8_t *origin, const uint8_t *at,
                                             const uint8_t *end, uint32_t low, uint64_t *value) {
    const uint8_t *stop = end - at > MAX_VARINT_BYTES - GROUP_BYTES ? at + MAX_VARINT_BYTES - GROUP_BYTES : end;
    uint32_t middle = 1, top = 0; /* groups of 28 bits, to avoid shifts of 64 bits */

    ADD_BYTE(middle, 0, at, stop, complete, cut);
    ADD_BYTE(middle, 7, at, stop, complete, cut);
    ADD_BYTE(middle, 14, at, stop, complete, cut);
    ADD_BYTE(middle, 21, at, stop, complete, cut);
    middle -= 1u << GROUP_BITS;
    top = 1;
    ADD_BYTE(top, 0, at, stop, complete, cut);
    ADD_BYTE(top, 7, at, stop, complete, cut);
    return fail(decoder, HW_STATUS_VARINT_OVERFLOW, origin);
complete:
    *value = (uint64_t)(middle >> 4 | top << 24) << 32 | (low + ((middle - 1) << GROUP_BITS));
    return at;
cut:
    return fail_past(decoder, end, origin);
}

HOT const uint8_t *protobuf_read_long_varint(struct decoder *decoder, const uint8_t *origin, const uint8_t *at,
                                             const uint8_t *end, uint64_t *value) {
    uint32_t low = 1;

    ADD_BYTE(low, 0, at, end, complete, cut);
    ADD_BYTE(low, 7, at, end, complete, cut);
    ADD_BYTE(low, 14, at, end, complete, cut);
    ADD_BYTE(low, 21, at, end, complete, cut);
    return protobuf_read_wide_varint(decoder, origin, at, end, low, value);
complete:
    *value = low;
    return at;
cut:
    return fail_past(decoder, end, origin);
}

const uint8_t *protobuf_read_long_length(struct decoder *decoder, const uint8_t *origin, const uint8_t *at,
                                         const uint8_t *end, uint32_t *length) {
    uint64_t value;
    const uint8_t *next = read_varint(decoder, origin, at, end, &value);

    if (!next) return NULL;
    if (next - at > MAX_SHORT_BYTES) return fail(decoder, HW_STATUS_VARINT_OVERFLOW, origin);
    if (value > (uint64_t)(end - next)) return fail_past(decoder, end, origin);
    *length = (uint32_t)value;
    return next;
}

/* Reports an invalid key, unless its value extends beyond the end, which takes precedence. */
static const uint8_t *fail_key(struct decoder *decoder, hw_status status, uint32_t wire_type, const uint8_t *origin,
                               const uint8_t *at, const uint8_t *end) {
    const ptrdiff_t fixed = wire_type == WIRE_FIXED64 ? 8 : wire_type == WIRE_FIXED32 ? 4 : 0;
    uint64_t ignored;

    if (end - at < fixed) return fail_past(decoder, end, origin);
    if (wire_type == WIRE_VARINT || wire_type == WIRE_LENGTH) {
        const uint8_t *next = read_varint(decoder, origin, at, end, &ignored);
        if (!next && decoder->status != HW_STATUS_VARINT_OVERFLOW) return NULL;
    }
    return fail(decoder, status, origin);
}

const uint8_t *protobuf_read_long_key(struct decoder *decoder, const uint8_t *at, const uint8_t *end, uint32_t *key) {
    const uint8_t *origin = at;
    uint32_t wire_type = *at & 7;
    uint64_t value;

    if (end - at >= 2 && *at >= 0x80 && at[1] - 1u < 0x7f && wire_type <= WIRE_FIXED32) {
        *key = (*at & 0x7fu) | (uint32_t)at[1] << 7;
        return at + 2;
    }
    at = read_varint(decoder, origin, at, end, &value);
    if (!at) return NULL;
    *key = (uint32_t)value;
    if (value >> 32 != 0 || at - origin > MAX_SHORT_BYTES)
        return fail_key(decoder, HW_STATUS_VARINT_OVERFLOW, wire_type, origin, at, end);
    if (value < 8) return fail_key(decoder, HW_STATUS_FIELD_NUMBER_ZERO, wire_type, origin, at, end);
    if (wire_type > WIRE_FIXED32) return fail(decoder, HW_STATUS_BAD_WIRE_TYPE, origin);
    return at;
}

/* Skips the fields of a group and its end. */
static const uint8_t *skip_group(struct decoder *decoder, const uint8_t *start, uint32_t number, const uint8_t *at,
                                 const uint8_t *end, uint32_t depth) {
    if (depth == 0) return fail(decoder, HW_STATUS_DEPTH_EXCEEDED, start);
    while (at < end) {
        const uint8_t *origin = at;
        uint32_t key;

        at = read_key(decoder, at, end, &key);
        if (!at) return NULL;
        if ((key & 7) == WIRE_END_GROUP) return key >> 3 == number ? at : fail(decoder, HW_STATUS_BAD_GROUP, origin);
        at = protobuf_skip_value(decoder, origin, key, at, end, depth - 1);
        if (!at) return NULL;
    }
    return fail(decoder, HW_STATUS_BAD_GROUP, end);
}

const uint8_t *protobuf_skip_value(struct decoder *decoder, const uint8_t *origin, uint32_t key, const uint8_t *at,
                                   const uint8_t *end, uint32_t depth) {
    uint64_t ignored;
    uint32_t length;

    switch (key & 7) {
        case WIRE_VARINT:
            return read_varint(decoder, origin, at, end, &ignored);
        case WIRE_FIXED64:
            return end - at < 8 ? fail_past(decoder, end, origin) : at + 8;
        case WIRE_FIXED32:
            return end - at < 4 ? fail_past(decoder, end, origin) : at + 4;
        case WIRE_LENGTH:
            at = read_length(decoder, origin, at, end, &length);
            return at ? at + length : NULL;
        case WIRE_START_GROUP:
            return skip_group(decoder, origin, key >> 3, at, end, depth);
        default:
            return fail(decoder, HW_STATUS_BAD_GROUP, origin);
    }
}

#define FORM(name, code, wire, shift, list, form) [code] = {form, wire, shift, list},

const struct type_form protobuf_type_forms[32] = {HW_FIELD_TYPES(FORM)};
