/* Unknown fields: kept byte for byte in the message's list of unknown fields. */
#ifndef HW_PROTOBUF_CODEC_UNKNOWN_H
#define HW_PROTOBUF_CODEC_UNKNOWN_H

#include "protobuf/codec/decoder.h"
#include "runtime/descriptor.h"

/* Keeps the unknown field from its key at `origin` to `end`. Returns `end`. */
const uint8_t *protobuf_keep_field(struct decoder *decoder, const struct hw_type *type, char *object,
                                   const uint8_t *origin, const uint8_t *end);

/* Keeps the undeclared numbers of a packed closed enum from `at` to `end`, each as a field of its own. */
const uint8_t *protobuf_keep_numbers(struct decoder *decoder, const struct hw_type *type, const struct hw_field *field,
                                     char *object, const uint8_t *at, const uint8_t *end);

/* Moves the last element of the list in `slot`, a map entry, to the unknown fields. Returns `end`. */
const uint8_t *protobuf_keep_entry(struct decoder *decoder, const struct hw_type *type, const struct hw_field *field,
                                   char *object, const uint8_t *origin, const uint8_t *end);

/* Returns whether the closed enum of `field` declares a number. */
static inline bool declares(const struct hw_type *type, const struct hw_field *field, int32_t number) {
    if (__builtin_expect(
            number >= (int16_t)HW_GET(field, ENTRY_ENUM_LOW) && number <= (int16_t)HW_GET(field, ENTRY_ENUM_HIGH), 1))
        return true;
    return hw_enum_declares(type, HW_GET(field, ENTRY_NUMBER), number);
}

#endif
