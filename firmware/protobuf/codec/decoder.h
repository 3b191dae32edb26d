/* What the parts of the software deserializer share. Functions that read take the address of the next byte and return
 * that of the byte after what they read; NULL on an error, which `fail` has stored. */
#ifndef HW_PROTOBUF_CODEC_DECODER_H
#define HW_PROTOBUF_CODEC_DECODER_H

#include <stddef.h>

#include "runtime/arena.h"
#include "runtime/compiler.h"
#include "runtime/descriptor.h"
#include "units/status.h"

/* For code that nearly every message needs. link.ld puts it side by side, so that it does not evict itself from a small
 * instruction cache. */
#define HOT __attribute__((hot, noinline))

enum wire_type {
    WIRE_VARINT,
    WIRE_FIXED64,
    WIRE_LENGTH,
    WIRE_START_GROUP,
    WIRE_END_GROUP,
    WIRE_FIXED32,
};

struct decoder {
    struct hw_arena fixed;
    struct hw_arena flexible;
    const uint8_t *input_end;
    const struct hw_type *valid; /* the table that was last found to be well formed */
    uint32_t mark;               /* copies of registers that every new object needs */
    hw_ref byte_string, byte_array;
    hw_status status;
    const uint8_t *error_at;
    bool rejected;   /* the map entry that has just been read has an undeclared value of a closed enum */
    bool incomplete; /* a message has ended without one of its required fields */
};

static inline const uint8_t *fail(struct decoder *decoder, hw_status status, const uint8_t *at) {
    decoder->status = status;
    decoder->error_at = at;
    return NULL;
}

/* Keys, varints and lengths.
 *
 * As in the unit, the offset of an error is that of the field's key, or of the element in a packed field. Of several
 * errors the first in this list is reported: the key or its value extends beyond the end of its message (TRUNCATED if
 * the input ends there, else BAD_LENGTH), VARINT_OVERFLOW of the key, FIELD_NUMBER_ZERO, BAD_WIRE_TYPE, VARINT_OVERFLOW
 * of the value, a length that extends beyond the end. `origin` is the start of that key or element. */

#define MAX_VARINT_BYTES 10
#define MAX_SHORT_BYTES 5 /* of keys and lengths: upb refuses longer ones, in unknown fields, too */
#define GROUP_BYTES 4     /* of a varint, whose bits fit into a word */
#define GROUP_BITS (7 * GROUP_BYTES)

/* Adds the byte at `at` to a group of a varint, at bit `shift`, and goes to `done` if it is the varint's last. The top
 * bit of the byte before is still in the group: the 1 that is subtracted takes it away, so that no byte is masked. A
 * group that begins has 1. Goes to `cut` if there is no byte below `stop`. */
#define ADD_BYTE(group, shift, at, stop, done, cut) \
    do {                                            \
        if (UNLIKELY((at) == (stop))) goto cut;     \
        uint32_t byte = *(at)++;                    \
        (group) += (byte - 1) << (shift);           \
        if (byte < 0x80) goto done;                 \
    } while (0)

/* Reports that something extends beyond `end`, the end of a message or of a packed field. */
static inline const uint8_t *fail_past(struct decoder *decoder, const uint8_t *end, const uint8_t *origin) {
    return fail(decoder, end == decoder->input_end ? HW_STATUS_TRUNCATED : HW_STATUS_BAD_LENGTH, origin);
}

/* The slow path of read_varint: two bytes or more. */
const uint8_t *protobuf_read_long_varint(struct decoder *decoder, const uint8_t *origin, const uint8_t *at,
                                         const uint8_t *end, uint64_t *value);

/* Reads the rest of a varint from its fifth byte on. `low` is the sum of the four bytes before, each less the top bit
 * of its predecessor; the last one's is still in it. */
const uint8_t *protobuf_read_wide_varint(struct decoder *decoder, const uint8_t *origin, const uint8_t *at,
                                         const uint8_t *end, uint32_t low, uint64_t *value);

/* The slow path of read_key: two bytes or more, or an invalid key. */
const uint8_t *protobuf_read_long_key(struct decoder *decoder, const uint8_t *at, const uint8_t *end, uint32_t *key);

/* The slow path of read_length: two bytes or more, or too long for what follows. */
const uint8_t *protobuf_read_long_length(struct decoder *decoder, const uint8_t *origin, const uint8_t *at,
                                         const uint8_t *end, uint32_t *length);

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
    if (__builtin_expect(at < end && *at < 0x80 && *at < end - at, 1)) {
        *length = *at;
        return at + 1;
    }
    return protobuf_read_long_length(decoder, origin, at, end, length);
}

/* Skips the value of an unknown field whose key has been read. `depth` more levels may nest. */
const uint8_t *protobuf_skip_value(struct decoder *decoder, const uint8_t *origin, uint32_t key, const uint8_t *at,
                                   const uint8_t *end, uint32_t depth);

/* How the values of a field type are read and stored: the encodings of HW_FIELD_TYPES. Signs are of no matter for
 * reading. */
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

/* Returns whether the closed enum of `field` declares a number. */
static inline bool declares(const struct hw_type *type, const struct hw_field *field, int32_t number) {
    if (__builtin_expect(
            number >= (int16_t)HW_GET(field, ENTRY_ENUM_LOW) && number <= (int16_t)HW_GET(field, ENTRY_ENUM_HIGH), 1))
        return true;
    return hw_enum_declares(type, HW_GET(field, ENTRY_NUMBER), number);
}

/* Makes the memory at `reference`, whose end is aligned as objects are, a message of `type` with all fields absent. */
void protobuf_init_message(hw_ref reference, const struct hw_type *type);

/* Appends an element of 2^shift bytes to the list of `slot`, which is made with the class of that register if there is
 * none. Returns the element's address; NULL, with the error, if there is no room. */
void *protobuf_list_add(struct decoder *decoder, hw_ref *slot, uint32_t list_register, uint32_t shift,
                        const uint8_t *at);

/* Reads a repeated scalar field with wire type 2. Its key is at `origin`, its length at `at`. */
const uint8_t *protobuf_read_packed(struct decoder *decoder, const struct hw_type *type, const struct hw_field *field,
                                    const struct type_form *form, char *object, const uint8_t *origin,
                                    const uint8_t *at, const uint8_t *end);

/* Keeps the unknown field from its key at `origin` to `end`. Returns `end`. */
const uint8_t *protobuf_keep_field(struct decoder *decoder, const struct hw_type *type, char *object,
                                   const uint8_t *origin, const uint8_t *end);

/* Moves the last element of the list in `slot`, a map entry, to the unknown fields. Returns `end`. */
const uint8_t *protobuf_keep_entry(struct decoder *decoder, const struct hw_type *type, const struct hw_field *field,
                                   char *object, const uint8_t *origin, const uint8_t *end);

#endif
