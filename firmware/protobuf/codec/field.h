/* Reading messages and their fields. */
#ifndef HW_PROTOBUF_CODEC_FIELD_H
#define HW_PROTOBUF_CODEC_FIELD_H

#include "protobuf/codec/decoder.h"
#include "runtime/descriptor.h"

/* Reads the fields of the message or group to which `slot` refers; if `slot` is null, of a new one of `type`. Reads
 * from `at` to `end`, or to the end of `group` if that is not 0. `origin` is the address of the key of the field that
 * contains the message. `depth` messages may be open, this one included. */
const uint8_t *protobuf_read_message(struct decoder *decoder, const struct hw_type *type, hw_ref *slot, uint32_t group,
                                     const uint8_t *origin, const uint8_t *at, const uint8_t *end, uint32_t depth);

/* Reads the fields that protobuf_read_message does not: groups, closed enums, packed fields and unknown fields. Their
 * key has been read. `field` may be NULL for an unknown field. */
const uint8_t *protobuf_read_field(struct decoder *decoder, const struct hw_type *type, const struct hw_field *field,
                                   char *object, uint32_t key, const uint8_t *origin, const uint8_t *at,
                                   const uint8_t *end, uint32_t depth);

static inline void set_hasbit(const struct hw_type *type, char *object, uint32_t bit) {
    *(uint32_t *)(object + HW_GET(type, ADT_HASBITS_OFFSET) + bit / 32 * 4) |= 1u << bit % 32;
}

/* Makes this field the set member of its oneof. A message of another member is not merged into. */
static inline void select_member(const struct hw_field *field, char *object, void *slot, bool message) {
    uint32_t *member = (uint32_t *)(object + HW_GET(field, ENTRY_CASE_OFFSET)), number = HW_GET(field, ENTRY_NUMBER);

    if (message && *member != number) *(hw_ref *)slot = 0;
    *member = number;
}

#endif
