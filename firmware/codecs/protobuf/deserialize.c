#include "codecs/protobuf/deserialize.h"

#include <string.h>

#include "codecs/protobuf/build.h"
#include "codecs/protobuf/list.h"
#include "codecs/protobuf/wire.h"
#include "runtime/registers.h"

/* How the value of a field type is read and stored. */
enum form { NONE, VARINT32, VARINT64, ZIGZAG32, ZIGZAG64, BOOLEAN, FIXED32, FIXED64, BYTES, MESSAGE, GROUP };

struct type_form {
    uint8_t form, wire, shift, list_register; /* shift: log2 of the bytes of a slot or element */
};

static const struct type_form forms[32] = {
    [HW_TYPE_DOUBLE] = {FIXED64, WIRE_FIXED64, 3, HW_REG_KLASS_DOUBLE_ARRAY_LIST},
    [HW_TYPE_FLOAT] = {FIXED32, WIRE_FIXED32, 2, HW_REG_KLASS_FLOAT_ARRAY_LIST},
    [HW_TYPE_INT64] = {VARINT64, WIRE_VARINT, 3, HW_REG_KLASS_LONG_ARRAY_LIST},
    [HW_TYPE_UINT64] = {VARINT64, WIRE_VARINT, 3, HW_REG_KLASS_LONG_ARRAY_LIST},
    [HW_TYPE_INT32] = {VARINT32, WIRE_VARINT, 2, HW_REG_KLASS_INT_ARRAY_LIST},
    [HW_TYPE_FIXED64] = {FIXED64, WIRE_FIXED64, 3, HW_REG_KLASS_LONG_ARRAY_LIST},
    [HW_TYPE_FIXED32] = {FIXED32, WIRE_FIXED32, 2, HW_REG_KLASS_INT_ARRAY_LIST},
    [HW_TYPE_BOOL] = {BOOLEAN, WIRE_VARINT, 0, HW_REG_KLASS_BOOLEAN_ARRAY_LIST},
    [HW_TYPE_STRING] = {BYTES, WIRE_LENGTH, 2, HW_REG_KLASS_OBJECT_ARRAY_LIST},
    [HW_TYPE_GROUP] = {GROUP, WIRE_START_GROUP, 2, HW_REG_KLASS_OBJECT_ARRAY_LIST},
    [HW_TYPE_MESSAGE] = {MESSAGE, WIRE_LENGTH, 2, HW_REG_KLASS_OBJECT_ARRAY_LIST},
    [HW_TYPE_BYTES] = {BYTES, WIRE_LENGTH, 2, HW_REG_KLASS_OBJECT_ARRAY_LIST},
    [HW_TYPE_UINT32] = {VARINT32, WIRE_VARINT, 2, HW_REG_KLASS_INT_ARRAY_LIST},
    [HW_TYPE_ENUM] = {VARINT32, WIRE_VARINT, 2, HW_REG_KLASS_INT_ARRAY_LIST},
    [HW_TYPE_SFIXED32] = {FIXED32, WIRE_FIXED32, 2, HW_REG_KLASS_INT_ARRAY_LIST},
    [HW_TYPE_SFIXED64] = {FIXED64, WIRE_FIXED64, 3, HW_REG_KLASS_LONG_ARRAY_LIST},
    [HW_TYPE_SINT32] = {ZIGZAG32, WIRE_VARINT, 2, HW_REG_KLASS_INT_ARRAY_LIST},
    [HW_TYPE_SINT64] = {ZIGZAG64, WIRE_VARINT, 3, HW_REG_KLASS_LONG_ARRAY_LIST},
};

static const uint8_t *read_fields(struct decoder *decoder, const struct hw_type *type, char *object, uint32_t group,
                                  const uint8_t *at, const uint8_t *end, uint32_t depth);

static inline uint32_t unzigzag32(uint32_t value)
{
    return value >> 1 ^ -(value & 1);
}

static inline uint64_t unzigzag64(uint64_t value)
{
    return value >> 1 ^ -(value & 1);
}

/* Stores a varint as its form asks. */
static inline void store_varint(enum form form, void *slot, uint64_t value)
{
    switch (form) {
    case VARINT32:
        *(uint32_t *)slot = (uint32_t)value;
        break;
    case ZIGZAG32:
        *(uint32_t *)slot = unzigzag32((uint32_t)value);
        break;
    case VARINT64:
        *(uint64_t *)slot = value;
        break;
    case ZIGZAG64:
        *(uint64_t *)slot = unzigzag64(value);
        break;
    default:
        *(uint8_t *)slot = value != 0;
    }
}

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
                                        enum form form, void *slot, const uint8_t *origin, const uint8_t *at,
                                        const uint8_t *end, uint32_t depth)
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
        if ((*(hw_ref *)slot = new_byte_string(decoder, at, length)) == 0)
            return fail(decoder, HW_STATUS_FIXED_ARENA_FULL, origin);
        return at + length;
    case MESSAGE:
        at = read_length(decoder, origin, at, end, &length);
        return at ? read_message(decoder, hw_field_type(type, field), slot, 0, origin, at, at + length, depth) : NULL;
    case GROUP:
        return read_message(decoder, hw_field_type(type, field), slot, HW_GET(field, ENTRY_NUMBER), origin, at, end, depth);
    default:
        at = read_varint(decoder, origin, at, end, &value);
        if (at)
            store_varint(form, slot, value);
        return at;
    }
}

/* The varints of a packed field, from `at` to `end`, into room for as many. */
static uint8_t *read_packed_varints(struct decoder *decoder, const struct type_form *form, uint8_t *slot,
                                    const uint8_t *at, const uint8_t *end)
{
    uint64_t value;

    for (; at < end; slot += 1u << form->shift) {
        at = read_varint(decoder, at, at, end, &value);
        if (!at)
            return NULL;
        store_varint(form->form, slot, value);
    }
    return slot;
}

static uint32_t count_varints(const uint8_t *at, const uint8_t *end)
{
    uint32_t count = 0;

    for (; at < end; at++)
        count += *at < 0x80;
    return count;
}

static const uint8_t *read_packed(struct decoder *decoder, const struct type_form *form, hw_ref *slot,
                                  const uint8_t *origin, const uint8_t *at, const uint8_t *end)
{
    const uint8_t *stop;
    bool fixed = form->wire != WIRE_VARINT;
    uint32_t length, elements, rest;
    struct hw_array_list *list;
    uint8_t *room, *filled;

    at = read_length(decoder, origin, at, end, &length);
    if (!at)
        return NULL;
    stop = at + length;
    rest = fixed ? length & ((1u << form->shift) - 1) : 0;
    if (rest != 0)
        return fail_past(decoder, stop, stop - rest);
    if (!(list = list_open(decoder, slot, form->list_register, origin)))
        return NULL;
    if (length == 0)
        return at;
    elements = fixed ? length >> form->shift : length;
    room = list_reserve(decoder, list, form->list_register, form->shift, elements);
    if (!room && !fixed) /* a varint may take several bytes: count them exactly */
        room = list_reserve(decoder, list, form->list_register, form->shift, elements = count_varints(at, stop));
    if (!room)
        return fail(decoder, HW_STATUS_FLEXIBLE_ARENA_FULL, origin);
    if (fixed)
        memcpy(filled = room, at, length), filled += length;
    else if (!(filled = read_packed_varints(decoder, form, room, at, stop)))
        return NULL;
    list_close(decoder, list, form->shift, (uint32_t)(filled - room) >> form->shift);
    return stop;
}

/* A known field whose wire type is its form's own. */
static inline const uint8_t *read_field(struct decoder *decoder, const struct hw_type *type, const struct hw_field *field,
                                        const struct type_form *form, char *object, const uint8_t *origin,
                                        const uint8_t *at, const uint8_t *end, uint32_t depth)
{
    void *slot = object + HW_GET(field, ENTRY_OFFSET);

    if (HW_GET(field, ENTRY_REPEATED)) {
        struct hw_array_list *list = list_open(decoder, slot, form->list_register, origin);
        if (!list || !(slot = list_append(decoder, list, form->list_register, form->shift, origin)))
            return NULL;
    }
    if (HW_GET(field, ENTRY_HAS_HASBIT)) {
        uint32_t bit = HW_GET(field, ENTRY_HASBIT);
        *(uint32_t *)(object + HW_GET(type, ADT_HASBITS_OFFSET) + (bit / 32) * 4) |= 1u << bit % 32;
    }
    return read_value(decoder, type, field, form->form, slot, origin, at, end, depth);
}

/* The fields of a message into `object`, up to `end`, or to the end of `group` if that is not 0. */
static const uint8_t *read_fields(struct decoder *decoder, const struct hw_type *type, char *object, uint32_t group,
                                  const uint8_t *at, const uint8_t *end, uint32_t depth)
{
    while (at < end) {
        const uint8_t *origin = at;
        uint32_t key;

        at = read_key(decoder, at, end, &key);
        if (!at)
            return NULL;
        if (__builtin_expect((key & 7) == WIRE_END_GROUP, 0))
            return group != 0 && key >> 3 == group ? at : fail(decoder, HW_STATUS_BAD_GROUP, origin);

        const struct hw_field *field = hw_type_find(type, key >> 3);
        const struct type_form *form = &forms[field ? HW_GET(field, ENTRY_TYPE) : 0];
        if (!field)
            at = skip_value(decoder, origin, key, at, end, depth);
        else if (__builtin_expect(form->form == NONE, 0))
            return fail(decoder, HW_STATUS_BAD_DESCRIPTOR, origin);
        else if ((key & 7) == form->wire)
            at = read_field(decoder, type, field, form, object, origin, at, end, depth);
        else if ((key & 7) == WIRE_LENGTH && HW_GET(field, ENTRY_REPEATED) && form->form != GROUP)
            at = read_packed(decoder, form, (hw_ref *)(object + HW_GET(field, ENTRY_OFFSET)), origin, at, end);
        else
            at = skip_value(decoder, origin, key, at, end, depth);
        if (!at)
            return NULL;
    }
    return group ? fail(decoder, HW_STATUS_BAD_GROUP, end) : at;
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
    heap->fixed = decoder.fixed;
    heap->flexible = decoder.flexible;
    return (struct hw_table_result){.status = HW_STATUS_OK, .root = root};
}
