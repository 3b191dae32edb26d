#include "codecs/protobuf/deserialize.h"

#include <string.h>

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
                                  const uint8_t *group_at, const uint8_t *at, const uint8_t *end, uint32_t depth);

/* A new object of `type`, all fields absent; 0: no room. */
static hw_ref new_message(struct decoder *decoder, const struct hw_type *type)
{
    uint32_t size = HW_GET(type, ADT_OBJECT_SIZE);
    hw_ref taken = hw_arena_take(&decoder->fixed, size);
    char *object = hw_pointer(taken);
    uint32_t offset;

    if (!taken)
        return 0;
    for (uint32_t i = HW_OBJECT_HEADER_SIZE; i < size; i += 4)
        *(uint32_t *)(object + i) = 0;
    ((struct hw_object *)object)->mark = hw_registers[HW_REG_MARK_PROTOTYPE];
    ((struct hw_object *)object)->klass = HW_GET(type, ADT_KLASS);
    if ((offset = HW_GET(type, ADT_MEMOIZED_SIZE_OFFSET)) != HW_ADT_NO_OFFSET)
        *(int32_t *)(object + offset) = HW_OBJECT_MEMO_UNSET;
    if ((offset = HW_GET(type, ADT_MEMOIZED_IS_INITIALIZED_OFFSET)) != HW_ADT_NO_OFFSET)
        *(int32_t *)(object + offset) = HW_OBJECT_MEMO_UNSET;
    if ((offset = HW_GET(type, ADT_UNKNOWN_FIELDS_OFFSET)) != HW_ADT_NO_OFFSET)
        *(hw_ref *)(object + offset) = hw_registers[HW_REG_UNKNOWN_FIELDS];
    return taken;
}

/* A byte string with the `length` bytes at `from`; 0: no room. */
static hw_ref new_byte_string(struct decoder *decoder, const uint8_t *from, uint32_t length)
{
    const uint32_t overhead = HW_OBJECT_BYTE_STRING_SIZE + HW_OBJECT_ARRAY_ELEMENTS;
    uint32_t room = decoder->fixed.limit - decoder->fixed.top;

    if (room < overhead || length > room - overhead)
        return 0;
    hw_ref taken = hw_arena_take(&decoder->fixed, overhead + length);
    struct hw_byte_string *string = hw_pointer(taken);
    struct hw_array *array = (struct hw_array *)(string + 1);
    uint32_t mark = hw_registers[HW_REG_MARK_PROTOTYPE];

    string->header.mark = mark;
    string->header.klass = hw_registers[HW_REG_KLASS_BYTE_STRING];
    string->hash = 0;
    string->bytes = hw_reference(array);
    array->header.mark = mark;
    array->header.klass = hw_registers[HW_REG_KLASS_BYTE_ARRAY];
    array->length = length;
    array->padding = 0;
    if (length % HW_OBJECT_ALIGNMENT != 0) { /* no stale bytes after the last one */
        uint32_t *last = (uint32_t *)(array->elements + (length & ~(uint32_t)(HW_OBJECT_ALIGNMENT - 1)));
        last[0] = last[1] = 0;
    }
    memcpy(array->elements, from, length);
    return taken;
}

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
                                   const uint8_t *start, const uint8_t *at, const uint8_t *end, uint32_t depth)
{
    if (depth == 0)
        return fail(decoder, HW_STATUS_DEPTH_EXCEEDED, start);
    if (!hw_type_valid(hw_reference(type), hw_registers[HW_REG_TABLE_BASE], hw_registers[HW_REG_TABLE_LIMIT]))
        return fail(decoder, HW_STATUS_BAD_DESCRIPTOR, start);
    if (*slot == 0 && (*slot = new_message(decoder, type)) == 0)
        return fail(decoder, HW_STATUS_FIXED_ARENA_FULL, start);
    return read_fields(decoder, type, hw_pointer(*slot), group, start, at, end, depth - 1);
}

/* One value of `form` into `slot`, its wire type being the form's own. */
static inline const uint8_t *read_value(struct decoder *decoder, const struct hw_type *type, const struct hw_field *field,
                                        enum form form, void *slot, const uint8_t *key_at, const uint8_t *at,
                                        const uint8_t *end, uint32_t depth)
{
    const uint8_t *start = at;
    uint64_t value;
    uint32_t length;

    switch (form) {
    case FIXED32:
        if (end - at < 4)
            return fail(decoder, HW_STATUS_TRUNCATED, at);
        memcpy(slot, at, 4);
        return at + 4;
    case FIXED64:
        if (end - at < 8)
            return fail(decoder, HW_STATUS_TRUNCATED, at);
        memcpy(slot, at, 8);
        return at + 8;
    case BYTES:
        at = read_length(decoder, at, end, &length);
        if (!at)
            return NULL;
        if ((*(hw_ref *)slot = new_byte_string(decoder, at, length)) == 0)
            return fail(decoder, HW_STATUS_FIXED_ARENA_FULL, start);
        return at + length;
    case MESSAGE:
        at = read_length(decoder, at, end, &length);
        return at ? read_message(decoder, hw_field_type(type, field), slot, 0, start, at, at + length, depth) : NULL;
    case GROUP:
        return read_message(decoder, hw_field_type(type, field), slot, HW_GET(field, ENTRY_NUMBER), key_at, at, end, depth);
    default:
        at = read_varint(decoder, at, end, &value);
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
        at = read_varint(decoder, at, end, &value);
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

static const uint8_t *read_packed(struct decoder *decoder, const struct type_form *form, hw_ref *slot, const uint8_t *at,
                                  const uint8_t *end)
{
    const uint8_t *start = at, *stop;
    bool fixed = form->wire != WIRE_VARINT;
    uint32_t length, elements;
    struct hw_array_list *list;
    uint8_t *room, *filled;

    at = read_length(decoder, at, end, &length);
    if (!at)
        return NULL;
    if (fixed && length & ((1u << form->shift) - 1))
        return fail(decoder, HW_STATUS_BAD_LENGTH, start);
    if (!(list = list_open(decoder, slot, form->list_register, start)))
        return NULL;
    if (length == 0)
        return at;
    stop = at + length;
    elements = fixed ? length >> form->shift : length;
    room = list_reserve(decoder, list, form->list_register, form->shift, elements);
    if (!room && !fixed) /* a varint may take several bytes: count them exactly */
        room = list_reserve(decoder, list, form->list_register, form->shift, elements = count_varints(at, stop));
    if (!room)
        return fail(decoder, HW_STATUS_FLEXIBLE_ARENA_FULL, start);
    if (fixed)
        memcpy(filled = room, at, length), filled += length;
    else if (!(filled = read_packed_varints(decoder, form, room, at, stop)))
        return NULL;
    list_close(decoder, list, form->shift, (uint32_t)(filled - room) >> form->shift);
    return stop;
}

/* The fields of a message into `object`, up to `end`, or to the end of `group` if that is not 0. */
static const uint8_t *read_fields(struct decoder *decoder, const struct hw_type *type, char *object, uint32_t group,
                                  const uint8_t *group_at, const uint8_t *at, const uint8_t *end, uint32_t depth)
{
    while (at < end) {
        const uint8_t *key_at = at;
        const struct hw_field *field;
        uint32_t key;

        at = read_key(decoder, at, end, &key);
        if (!at)
            return NULL;
        if (__builtin_expect((key & 7) == WIRE_END_GROUP, 0))
            return group != 0 && key >> 3 == group ? at : fail(decoder, HW_STATUS_BAD_GROUP, key_at);

        field = hw_type_find(type, key >> 3);
        const struct type_form *form = &forms[field ? HW_GET(field, ENTRY_TYPE) : 0];
        if (__builtin_expect(field && form->form == NONE, 0))
            return fail(decoder, HW_STATUS_BAD_DESCRIPTOR, key_at);
        bool repeated = field && HW_GET(field, ENTRY_REPEATED);
        char *slot = field ? object + HW_GET(field, ENTRY_OFFSET) : NULL;

        if (field && (key & 7) == form->wire) {
            void *place = slot;
            if (repeated) {
                struct hw_array_list *list = list_open(decoder, (hw_ref *)slot, form->list_register, at);
                if (!list || !(place = list_append(decoder, list, form->list_register, form->shift, at)))
                    return NULL;
            }
            at = read_value(decoder, type, field, form->form, place, key_at, at, end, depth);
            if (HW_GET(field, ENTRY_HAS_HASBIT)) {
                uint32_t bit = HW_GET(field, ENTRY_HASBIT);
                *(uint32_t *)(object + HW_GET(type, ADT_HASBITS_OFFSET) + (bit / 32) * 4) |= 1u << bit % 32;
            }
        } else if (repeated && (key & 7) == WIRE_LENGTH && form->wire != WIRE_START_GROUP) {
            at = read_packed(decoder, form, (hw_ref *)slot, at, end);
        } else {
            at = skip_value(decoder, key_at, key, at, end, depth);
        }
        if (!at)
            return NULL;
    }
    return group ? fail(decoder, HW_STATUS_BAD_GROUP, group_at) : at;
}

struct hw_table_result hw_table_deserialize(const struct hw_type *type, const void *input, uint32_t length,
                                            uint32_t max_depth, struct hw_heap *heap)
{
    struct decoder decoder = {.fixed = heap->fixed, .flexible = heap->flexible, .status = HW_STATUS_OK};
    uint32_t depth = max_depth < HW_TABLE_MAX_DEPTH ? max_depth : HW_TABLE_MAX_DEPTH;
    const uint8_t *bytes = input;
    hw_ref root;

    if (!hw_type_valid(hw_reference(type), hw_registers[HW_REG_TABLE_BASE], hw_registers[HW_REG_TABLE_LIMIT]))
        return (struct hw_table_result){.status = HW_STATUS_BAD_DESCRIPTOR};
    if (depth == 0)
        return (struct hw_table_result){.status = HW_STATUS_DEPTH_EXCEEDED};
    root = new_message(&decoder, type);
    if (!root)
        return (struct hw_table_result){.status = HW_STATUS_FIXED_ARENA_FULL};
    if (!read_fields(&decoder, type, hw_pointer(root), 0, NULL, bytes, bytes + length, depth - 1))
        return (struct hw_table_result){.status = decoder.status, .offset = (uint32_t)(decoder.error_at - bytes)};
    heap->fixed = decoder.fixed;
    heap->flexible = decoder.flexible;
    return (struct hw_table_result){.status = HW_STATUS_OK, .root = root};
}
