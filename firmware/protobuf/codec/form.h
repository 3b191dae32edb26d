/* How the values of a field type are read and stored. */
#ifndef HW_PROTOBUF_CODEC_FORM_H
#define HW_PROTOBUF_CODEC_FORM_H

#include "protobuf/codec/decoder.h"
#include "runtime/descriptor.h"

/* The encodings of HW_FIELD_TYPES. Signs are of no matter for reading. */
enum form {
    NONE,
    VARINT32,
    SIGNED32 = VARINT32,
    UNSIGNED32 = VARINT32,
    VARINT64,
    ZIGZAG32,
    ZIGZAG64,
    BOOLEAN,
    FIXED32,
    FIXED64,
    BYTES,
    MESSAGE,
    GROUP,
};

struct type_form {
    uint8_t form, wire, shift, list_register; /* shift: log2 of the bytes of a slot or element */
};

/* Indexed by HW_TYPE_*; as many entries as the bit field has values. */
extern const struct type_form protobuf_type_forms[32];

/* Stores a varint in the given form. */
static inline void store_varint(enum form form, void *slot, uint64_t value) {
    switch (form) {
        case VARINT32:
            *(uint32_t *)slot = (uint32_t)value;
            break;
        case ZIGZAG32:
            *(uint32_t *)slot = (uint32_t)value >> 1 ^ -((uint32_t)value & 1);
            break;
        case VARINT64:
            *(uint64_t *)slot = value;
            break;
        case ZIGZAG64:
            *(uint64_t *)slot = value >> 1 ^ -(value & 1);
            break;
        default:
            *(uint8_t *)slot = value != 0;
    }
}

/* Reads a repeated scalar field with wire type 2. Its key is at `origin`, its length at `at`. */
const uint8_t *protobuf_read_packed(struct decoder *decoder, const struct hw_type *type, const struct hw_field *field,
                                    const struct type_form *form, char *object, const uint8_t *origin,
                                    const uint8_t *at, const uint8_t *end);

#endif
