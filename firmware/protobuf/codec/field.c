#include "protobuf/codec/field.h"

#include "protobuf/codec/form.h"
#include "protobuf/codec/list.h"
#include "protobuf/codec/unknown.h"
#include "protobuf/codec/wire.h"

/* Returns where an occurrence of the field stores its value. Marks a singular field as present. */
static void *place(struct decoder *decoder, const struct hw_type *type, const struct hw_field *field,
                   const struct type_form *form, char *object, const uint8_t *origin) {
    void *slot = object + HW_GET(field, ENTRY_OFFSET);

    if (HW_GET(field, ENTRY_REPEATED))
        return protobuf_list_add(decoder, slot, form->list_register, form->shift, origin);
    set_hasbit(type, object, HW_GET(field, ENTRY_HASBIT));
    if (HW_GET(field, ENTRY_IN_ONEOF)) select_member(field, object, slot, form->form == GROUP);
    return slot;
}

/* Stores an undeclared value in the unknown fields only: those of the message or, if the message is a map entry, those
 * of the message with the map. */
static const uint8_t *keep_undeclared(struct decoder *decoder, const struct hw_type *type, const struct hw_field *field,
                                      char *object, const uint8_t *origin, const uint8_t *end) {
    if (HW_GET(type, ADT_MAP_ENTRY) && HW_GET(field, ENTRY_NUMBER) == 2) decoder->rejected = true;
    return protobuf_keep_field(decoder, type, object, origin, end);
}

/* Reads a number of a closed enum. For a malformed number, an error of making room for it comes first. */
static const uint8_t *read_enum(struct decoder *decoder, const struct hw_type *type, const struct hw_field *field,
                                const struct type_form *form, char *object, const uint8_t *origin, const uint8_t *at,
                                const uint8_t *end) {
    uint64_t value;
    const uint8_t *next = read_varint(decoder, origin, at, end, &value);

    if (next && !declares(type, field, (int32_t)value))
        return keep_undeclared(decoder, type, field, object, origin, next);
    void *slot = place(decoder, type, field, form, object, origin);

    if (!slot) return NULL;
    if (next) store_varint(form->form, slot, value);
    return next;
}

static const uint8_t *read_group(struct decoder *decoder, const struct hw_type *type, const struct hw_field *field,
                                 const struct type_form *form, char *object, const uint8_t *origin, const uint8_t *at,
                                 const uint8_t *end, uint32_t depth) {
    hw_ref *slot = place(decoder, type, field, form, object, origin);

    if (!slot) return NULL;
    at = protobuf_read_message(decoder, hw_field_type(type, field), slot, HW_GET(field, ENTRY_NUMBER), origin, at, end,
                               depth);
    decoder->rejected = false;
    return at;
}

const uint8_t *protobuf_read_field(struct decoder *decoder, const struct hw_type *type, const struct hw_field *field,
                                   char *object, uint32_t key, const uint8_t *origin, const uint8_t *at,
                                   const uint8_t *end, uint32_t depth) {
    const struct type_form *form = &protobuf_type_forms[field ? HW_GET(field, ENTRY_TYPE) : 0];
    uint32_t wire = key & 7;

    if (wire > WIRE_FIXED32) return fail(decoder, HW_STATUS_BAD_WIRE_TYPE, origin);
    if (field && form->form == NONE) return fail(decoder, HW_STATUS_BAD_DESCRIPTOR, origin);
    if (field && wire == form->wire)
        return form->form == GROUP ? read_group(decoder, type, field, form, object, origin, at, end, depth)
                                   : read_enum(decoder, type, field, form, object, origin, at, end);
    if (field && wire == WIRE_LENGTH && HW_GET(field, ENTRY_REPEATED) && form->form != GROUP)
        return protobuf_read_packed(decoder, type, field, form, object, origin, at, end);
    /* The field is unknown, or has a wire type that its type cannot have. */
    at = protobuf_skip_value(decoder, origin, key, at, end, depth);
    return at ? protobuf_keep_field(decoder, type, object, origin, at) : NULL;
}
