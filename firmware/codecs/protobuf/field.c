#include "codecs/protobuf/field.h"

#include <string.h>

#include "codecs/protobuf/form.h"
#include "codecs/protobuf/list.h"
#include "codecs/protobuf/string.h"
#include "codecs/protobuf/unknown.h"
#include "codecs/protobuf/wire.h"

/* One value of `form` into `slot`, its wire type being the form's own. */
static inline const uint8_t *read_value(struct decoder *decoder, const struct hw_type *type, const struct hw_field *field,
                                        enum form form, char *object, void *slot, const uint8_t *origin,
                                        const uint8_t *at, const uint8_t *end, uint32_t depth)
{
    uint64_t value;
    uint32_t length;

    switch (form) {
    case FIXED32:
        if (end - at < 4)
            return fail_past(decoder, end, origin);
        memcpy(slot, at, 4);
        return at + 4;
    case FIXED64:
        if (end - at < 8)
            return fail_past(decoder, end, origin);
        memcpy(slot, at, 8);
        return at + 8;
    case BYTES:
        at = read_length(decoder, origin, at, end, &length);
        return at ? read_string(decoder, slot, origin, at, length, HW_GET(field, ENTRY_CHECK_UTF8)) : NULL;
    case MESSAGE:
        at = read_length(decoder, origin, at, end, &length);
        if (!at || !(at = read_message(decoder, hw_field_type(type, field), slot, 0, origin, at, at + length, depth)))
            return NULL;
        if (UNLIKELY(decoder->rejected)) {
            decoder->rejected = false;
            if (HW_GET(field, ENTRY_REPEATED)) /* what else has such a type is no map */
                return keep_entry(decoder, type, field, object, origin, at);
        }
        return at;
    case GROUP:
        at = read_message(decoder, hw_field_type(type, field), slot, HW_GET(field, ENTRY_NUMBER), origin, at, end, depth);
        decoder->rejected = false;
        return at;
    default:
        at = read_varint(decoder, origin, at, end, &value);
        if (at)
            store_varint(form, slot, value);
        return at;
    }
}

/* Where an occurrence of the field stores its value. That of a singular field is marked as present. */
static inline void *place(struct decoder *decoder, const struct hw_type *type, const struct hw_field *field,
                          const struct type_form *form, char *object, const uint8_t *origin)
{
    void *slot = object + HW_GET(field, ENTRY_OFFSET);
    uint32_t bit = HW_GET(field, ENTRY_HASBIT);

    if (HW_GET(field, ENTRY_REPEATED))
        return list_add(decoder, slot, form->list_register, form->shift, origin);
    *(uint32_t *)(object + HW_GET(type, ADT_HASBITS_OFFSET) + (bit / 32) * 4) |= 1u << bit % 32;
    if (UNLIKELY(HW_GET(field, ENTRY_IN_ONEOF))) {
        uint32_t *member = (uint32_t *)(object + HW_GET(field, ENTRY_CASE_OFFSET)), number = HW_GET(field, ENTRY_NUMBER);
        if (*member != number && (form->form == MESSAGE || form->form == GROUP))
            *(hw_ref *)slot = 0; /* another member's: it is not merged into */
        *member = number;
    }
    return slot;
}

/* A number of a closed enum that it does not declare; `*next` is what follows it then. A malformed one is left to who stores it. */
static bool undeclared(struct decoder *decoder, const struct hw_type *type, const struct hw_field *field,
                       const uint8_t *at, const uint8_t *end, const uint8_t **next)
{
    uint64_t value;

    *next = read_varint(decoder, at, at, end, &value);
    return *next && !declares(type, field, (int32_t)value);
}

/* What is not declared leaves no trace but in the unknown fields: of the message, or if that is the entry of a map, of
 * the message that has the map. */
static const uint8_t *keep_undeclared(struct decoder *decoder, const struct hw_type *type, const struct hw_field *field,
                                      char *object, const uint8_t *origin, const uint8_t *end)
{
    if (HW_GET(type, ADT_MAP_ENTRY) && HW_GET(field, ENTRY_NUMBER) == 2)
        decoder->rejected = true;
    return keep_field(decoder, type, object, origin, end);
}

const uint8_t *read_field(struct decoder *decoder, const struct hw_type *type, const struct hw_field *field, char *object,
                          uint32_t key, const uint8_t *origin, const uint8_t *at, const uint8_t *end, uint32_t depth)
{
    const struct type_form *form = &type_forms[field ? HW_GET(field, ENTRY_TYPE) : 0];
    const uint8_t *next;

    if (field && UNLIKELY(form->form == NONE))
        return fail(decoder, HW_STATUS_BAD_DESCRIPTOR, origin);
    if (field && (key & 7) == form->wire) {
        if (HW_GET(field, ENTRY_CLOSED_ENUM) && undeclared(decoder, type, field, at, end, &next))
            return keep_undeclared(decoder, type, field, object, origin, next);
        void *slot = place(decoder, type, field, form, object, origin);
        return slot ? read_value(decoder, type, field, form->form, object, slot, origin, at, end, depth) : NULL;
    }
    if (field && (key & 7) == WIRE_LENGTH && HW_GET(field, ENTRY_REPEATED) && form->form != GROUP)
        return read_packed(decoder, type, field, form, object, origin, at, end);
    /* Unknown, or of a type that it cannot have. */
    at = skip_value(decoder, origin, key, at, end, depth);
    return at ? keep_field(decoder, type, object, origin, at) : NULL;
}
