#include "codecs/protobuf/deserialize.h"

#include <string.h>

#include "codecs/protobuf/build.h"
#include "codecs/protobuf/form.h"
#include "codecs/protobuf/list.h"
#include "codecs/protobuf/unknown.h"
#include "codecs/protobuf/utf8.h"
#include "codecs/protobuf/wire.h"
#include "runtime/initialized.h"
#include "runtime/registers.h"

static const uint8_t *read_fields(struct decoder *decoder, const struct hw_type *type, char *object, uint32_t group,
                                  const uint8_t *at, const uint8_t *end, uint32_t depth);

/* A submessage or group into the object that `slot` refers to, a new one if it is null. */
static const uint8_t *read_message(struct decoder *decoder, const struct hw_type *type, hw_ref *slot, uint32_t group,
                                   const uint8_t *origin, const uint8_t *at, const uint8_t *end, uint32_t depth)
{
    if (depth == 0)
        return fail(decoder, HW_STATUS_DEPTH_EXCEEDED, origin);
    if (!hw_type_valid(hw_reference(type), hw_registers[HW_REG_TABLE_BASE], hw_registers[HW_REG_TABLE_LIMIT]))
        return fail(decoder, HW_STATUS_BAD_DESCRIPTOR, origin);
    if (*slot == 0 && (*slot = new_message(decoder, type)) == 0)
        return fail(decoder, HW_STATUS_FIXED_ARENA_FULL, origin);
    return read_fields(decoder, type, hw_pointer(*slot), group, at, end, depth - 1);
}

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
        if (!at)
            return NULL;
        if (HW_GET(field, ENTRY_CHECK_UTF8) && !utf8_valid(at, length))
            return fail(decoder, HW_STATUS_INVALID_UTF8, origin);
        if ((*(hw_ref *)slot = new_byte_string(decoder, at, length)) == 0)
            return fail(decoder, HW_STATUS_FIXED_ARENA_FULL, origin);
        return at + length;
    case MESSAGE:
        at = read_length(decoder, origin, at, end, &length);
        if (!at || !(at = read_message(decoder, hw_field_type(type, field), slot, 0, origin, at, at + length, depth)))
            return NULL;
        if (__builtin_expect(decoder->rejected, 0)) {
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

    if (HW_GET(field, ENTRY_REPEATED)) {
        struct hw_array_list *list = list_open(decoder, slot, form->list_register, origin);
        return list ? list_append(decoder, list, form->list_register, form->shift, origin) : NULL;
    }
    *(uint32_t *)(object + HW_GET(type, ADT_HASBITS_OFFSET) + (bit / 32) * 4) |= 1u << bit % 32;
    if (__builtin_expect(HW_GET(field, ENTRY_IN_ONEOF), 0)) {
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

/* The fields of a message into `object`, up to `end`, or to the end of `group` if that is not 0. */
static const uint8_t *read_fields(struct decoder *decoder, const struct hw_type *type, char *object, uint32_t group,
                                  const uint8_t *at, const uint8_t *end, uint32_t depth)
{
    while (at < end) {
        const uint8_t *origin = at, *next;
        uint32_t key;

        at = read_key(decoder, at, end, &key);
        if (!at)
            return NULL;
        if (__builtin_expect((key & 7) == WIRE_END_GROUP, 0)) {
            if (group == 0 || key >> 3 != group)
                return fail(decoder, HW_STATUS_BAD_GROUP, origin);
            group = 0;
            break;
        }

        const struct hw_field *field = hw_type_find(type, key >> 3);
        const struct type_form *form = &type_forms[field ? HW_GET(field, ENTRY_TYPE) : 0];
        if (!field) {
            at = skip_value(decoder, origin, key, at, end, depth);
            at = at ? keep_field(decoder, type, object, origin, at) : NULL;
        } else if (__builtin_expect(form->form == NONE, 0)) {
            return fail(decoder, HW_STATUS_BAD_DESCRIPTOR, origin);
        } else if ((key & 7) == form->wire) {
            if (HW_GET(field, ENTRY_CLOSED_ENUM) && undeclared(decoder, type, field, at, end, &next)) {
                at = keep_undeclared(decoder, type, field, object, origin, next);
            } else {
                void *slot = place(decoder, type, field, form, object, origin);
                at = slot ? read_value(decoder, type, field, form->form, object, slot, origin, at, end, depth) : NULL;
            }
        } else if ((key & 7) == WIRE_LENGTH && HW_GET(field, ENTRY_REPEATED) && form->form != GROUP) {
            at = read_packed(decoder, type, field, form, object, origin, at, end);
        } else {
            at = skip_value(decoder, origin, key, at, end, depth);
            at = at ? keep_field(decoder, type, object, origin, at) : NULL;
        }
        if (!at)
            return NULL;
    }
    if (group)
        return fail(decoder, HW_STATUS_BAD_GROUP, end);
    if (__builtin_expect(HW_GET(type, ADT_REQUIRED_COUNT) != 0, 0) && !hw_message_has_required(object, type))
        decoder->incomplete = true;
    return at;
}

struct hw_table_result hw_table_deserialize(const struct hw_type *type, const void *input, uint32_t length,
                                            uint32_t max_depth, struct hw_arenas *heap)
{
    const uint8_t *bytes = input, *end = bytes + length;
    struct decoder decoder = {.fixed = heap->fixed, .flexible = heap->flexible, .input_end = end};
    uint32_t depth = max_depth != 0 && max_depth < HW_TABLE_MAX_DEPTH ? max_depth : HW_TABLE_MAX_DEPTH;
    hw_ref root;

    if (!hw_type_valid(hw_reference(type), hw_registers[HW_REG_TABLE_BASE], hw_registers[HW_REG_TABLE_LIMIT]))
        return (struct hw_table_result){.status = HW_STATUS_BAD_DESCRIPTOR};
    root = new_message(&decoder, type);
    if (!root)
        return (struct hw_table_result){.status = HW_STATUS_FIXED_ARENA_FULL};
    if (!read_fields(&decoder, type, hw_pointer(root), 0, bytes, end, depth))
        return (struct hw_table_result){.status = decoder.status, .offset = (uint32_t)(decoder.error_at - bytes)};
    /* What was missing when a message ended may have come later. */
    if (decoder.incomplete && !hw_message_initialized(hw_pointer(root), type, HW_TABLE_MAX_DEPTH))
        return (struct hw_table_result){.status = HW_STATUS_MISSING_REQUIRED, .offset = length};
    heap->fixed = decoder.fixed;
    heap->flexible = decoder.flexible;
    return (struct hw_table_result){.status = HW_STATUS_OK, .root = root};
}
