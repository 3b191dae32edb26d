/* Messages and their fields. */
#ifndef HW_PROTOBUF_CODEC_FIELD_H
#define HW_PROTOBUF_CODEC_FIELD_H

#include "protobuf/codec/decoder.h"
#include "runtime/descriptor.h"

/* The fields from `at` into the message or group that `slot` refers to, a new one of `type` if it is null, up to `end`, or to
 * the end of `group` if that is not 0. The field that has the message has its key at `origin`. `depth` messages may be
 * open, this one included. */
const uint8_t *read_message(struct decoder *decoder, const struct hw_type *type, hw_ref *slot, uint32_t group,
                            const uint8_t *origin, const uint8_t *at, const uint8_t *end, uint32_t depth);

/* What is left to others of the fields whose key has been read: groups, closed enums, packed fields, and what is unknown,
 * of which `field` may be NULL. */
const uint8_t *read_field(struct decoder *decoder, const struct hw_type *type, const struct hw_field *field, char *object,
                          uint32_t key, const uint8_t *origin, const uint8_t *at, const uint8_t *end, uint32_t depth);

static inline void set_hasbit(const struct hw_type *type, char *object, uint32_t bit)
{
    *(uint32_t *)(object + HW_GET(type, ADT_HASBITS_OFFSET) + bit / 32 * 4) |= 1u << bit % 32;
}

/* The field's oneof has this member now. A message of another one is not merged into. */
static inline void select_member(const struct hw_field *field, char *object, void *slot, bool message)
{
    uint32_t *member = (uint32_t *)(object + HW_GET(field, ENTRY_CASE_OFFSET)), number = HW_GET(field, ENTRY_NUMBER);

    if (message && *member != number)
        *(hw_ref *)slot = 0;
    *member = number;
}

#endif
