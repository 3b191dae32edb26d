#include "protobuf/codec/elements.h"

#include <string.h>

/* The encodings of HW_FIELD_TYPES. */
enum form { UNSIGNED32, SIGNED32, ZIGZAG32, VARINT64, ZIGZAG64, BOOLEAN, FIXED32, FIXED64, BYTES, MESSAGE, GROUP };

/* A switch, because it merges with that of put_form. */
#define FORM(name, code, wire, shift, list, form) \
    case code:                                    \
        return form;

static inline enum form form_of(uint32_t type) {
    switch (type) {
        HW_FIELD_TYPES(FORM)
        default:
            return VARINT64;
    }
}

static inline bool put_bytes(struct encoder *encoder, const void *from, uint32_t bytes) {
    uint8_t *to = take(encoder, bytes);

    if (to) memcpy(to, from, bytes);
    return to != NULL;
}

static inline __attribute__((always_inline)) bool put_form(struct encoder *encoder, enum form form, const void *slot) {
    uint32_t word = form == BOOLEAN ? 0 : *(const uint32_t *)slot;
    uint64_t wide;

    switch (form) {
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
    return put_form(encoder, form_of(type), slot);
}

/* Inlined, so that each form has a loop of its own. */
static inline __attribute__((always_inline)) bool put_all(struct encoder *encoder, enum form form, uint32_t size,
                                                          const uint8_t *values, uint32_t count, uint32_t key) {
    for (const uint8_t *value = values + count * size; value > values;)
        if (!put_form(encoder, form, value -= size) || (key != 0 && !put_varint32(encoder, key))) return false;
    return true;
}

bool protobuf_put_scalars(struct encoder *encoder, uint32_t type, const uint8_t *values, uint32_t count, uint32_t key) {
    switch (form_of(type)) {
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
