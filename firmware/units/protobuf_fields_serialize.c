#include "units/protobuf_fields.h"

#include "runtime/registers.h"

#define ATTEMPTS 3

uint32_t hw_fields_fallbacks, hw_fields_broken;

/* Where objects may lie. */
struct heap_range {
    uint32_t bound, span;
};

static inline bool holds(const struct heap_range *heap, hw_ref reference, uint32_t size)
{
    uint32_t distance = reference - heap->bound;

    return reference % HW_OBJECT_ALIGNMENT == 0 && distance <= heap->span && size <= heap->span - distance;
}

/* 1: the string has bytes, 0: none, -1: its references lead astray. */
static int has_bytes(const struct heap_range *heap, hw_ref reference)
{
    const struct hw_byte_string *string = hw_pointer(reference);

    if (reference == 0)
        return 0;
    if (!holds(heap, reference, HW_OBJECT_BYTE_STRING_SIZE) || !holds(heap, string->bytes, HW_OBJECT_ARRAY_ELEMENTS))
        return -1;
    return hw_array_length(string->bytes) != 0;
}

static bool put_message(const struct heap_range *heap, const struct hw_type *type, hw_ref reference, uint32_t depth);

/* A submessage or group with what is around it. */
static bool put_submessage(const struct heap_range *heap, const struct hw_type *type, const struct hw_field *field,
                           hw_ref reference, uint32_t depth)
{
    uint32_t number = HW_GET(field, ENTRY_KEY) >> 3;
    bool group = HW_GET(field, ENTRY_TYPE) == HW_TYPE_GROUP;

    if (depth == 0)
        return false;
    if (group)
        hw_serfield(HW_TYPE_GROUP | HW_FIELD_FUNCTION_FLAG, 0, number);
    else
        hw_serfield(HW_TYPE_MESSAGE | HW_FIELD_FUNCTION_FLAG, 0, number);
    if (!put_message(heap, hw_field_type(type, field), reference, depth - 1))
        return false;
    if (group)
        hw_serfield(HW_TYPE_GROUP, 0, number);
    else
        hw_serfield(HW_TYPE_MESSAGE, 0, number);
    return true;
}

static bool put_submessages(const struct heap_range *heap, const struct hw_type *type, const struct hw_field *field,
                            hw_ref reference, uint32_t depth)
{
    const struct hw_array_list *list = hw_pointer(reference);

    if (!holds(heap, reference, HW_OBJECT_ARRAY_LIST_SIZE))
        return false;
    if (list->count == 0)
        return true;
    if (!holds(heap, list->array, HW_OBJECT_ARRAY_ELEMENTS) || list->count > hw_array_length(list->array) ||
        list->count > heap->span / sizeof(hw_ref) || !holds(heap, list->array, HW_OBJECT_ARRAY_ELEMENTS + list->count * 4))
        return false;
    const hw_ref *first = (const hw_ref *)(const void *)hw_array_bytes(list->array);

    for (const hw_ref *element = first + list->count; element > first;)
        if (!put_submessage(heap, type, field, *--element, depth))
            return false;
    return true;
}

/* True if the field is to be written; *sound becomes false if that is software's to say. */
static inline bool present(const struct heap_range *heap, const struct hw_type *type, const char *object,
                           const struct hw_field *field, bool *sound)
{
    const void *slot = object + HW_GET(field, ENTRY_OFFSET);
    uint32_t presence = HW_GET(field, ENTRY_PRESENCE), kind, bit;
    int bytes;

    switch (presence) {
    case HW_ADT_PRESENCE_HASBIT:
    case HW_ADT_PRESENCE_REQUIRED:
        bit = HW_GET(field, ENTRY_HASBIT);
        if (*(const uint32_t *)(object + HW_GET(type, ADT_HASBITS_OFFSET) + bit / 32 * 4) >> bit % 32 & 1)
            return true;
        *sound = presence == HW_ADT_PRESENCE_HASBIT;
        return false;
    case HW_ADT_PRESENCE_REFERENCE:
        return *(const hw_ref *)slot != 0;
    case HW_ADT_PRESENCE_CASE:
        return *(const uint32_t *)(object + HW_GET(field, ENTRY_CASE_OFFSET)) == HW_GET(field, ENTRY_KEY) >> 3;
    case HW_ADT_PRESENCE_IMPLICIT:
        kind = HW_GET(field, ENTRY_TYPE);
        if (kind == HW_TYPE_STRING || kind == HW_TYPE_BYTES) {
            bytes = has_bytes(heap, *(const hw_ref *)slot);
            *sound = bytes >= 0;
            return bytes > 0;
        }
        switch (hw_value_shift(kind)) {
        case 0:
            return *(const uint8_t *)slot != 0;
        case 2:
            return *(const uint32_t *)slot != 0;
        default:
            return ((const uint32_t *)slot)[0] != 0 || ((const uint32_t *)slot)[1] != 0;
        }
    default:
        return true;
    }
}

static inline bool put_field(const struct heap_range *heap, const struct hw_type *type, const char *object,
                             const struct hw_field *field, uint32_t depth)
{
    uint32_t word = field->words[HW_ENTRY_TYPE_OFFSET / 4], kind = HW_GET(field, ENTRY_TYPE);
    uint32_t number = HW_GET(field, ENTRY_KEY) >> 3;
    hw_ref slot = hw_reference(object) + HW_GET(field, ENTRY_OFFSET);

    if (__builtin_expect(kind == HW_TYPE_MESSAGE || kind == HW_TYPE_GROUP, 0)) {
        hw_ref reference = *(const hw_ref *)hw_pointer(slot);

        if (HW_GET(field, ENTRY_REPEATED))
            return put_submessages(heap, type, field, reference, depth);
        if (reference != 0 || HW_GET(field, ENTRY_PRESENCE) != HW_ADT_PRESENCE_ALWAYS)
            return put_submessage(heap, type, field, reference, depth);
        hw_serfield(HW_TYPE_MESSAGE | HW_FIELD_FUNCTION_FLAG, 0, number); /* an entry's value that is absent */
        hw_serfield(HW_TYPE_MESSAGE, 0, number);
        return true;
    }
    /* Type and repeated flag lie side by side; strings are not packed, scalars have no UTF-8. */
    uint32_t function = (word >> HW_ENTRY_TYPE_BIT & (HW_FIELD_FUNCTION_REPEATED * 2 - 1)) |
                        ((word >> HW_ENTRY_CHECK_UTF8_BIT | word >> HW_ENTRY_PACKED_BIT) & 1) * HW_FIELD_FUNCTION_FLAG;

    hw_field_serialize(function, slot, number);
    return true;
}

/* The fields of a message, the highest number first. False: software must say what is wrong. */
static bool put_message(const struct heap_range *heap, const struct hw_type *type, hw_ref reference, uint32_t depth)
{
    const char *object = hw_pointer(reference);
    const struct hw_field *field = hw_type_ordered(type), *end = field + HW_GET(type, ADT_FIELD_COUNT);
    uint32_t unknown = HW_GET(type, ADT_UNKNOWN_FIELDS_OFFSET);
    bool sound = true;

    if (!holds(heap, reference, HW_GET(type, ADT_OBJECT_SIZE)) ||
        ((const struct hw_object *)(const void *)object)->klass != HW_GET(type, ADT_KLASS))
        return false;
    if (unknown != HW_ADT_NO_OFFSET && *(const hw_ref *)(object + unknown) != hw_registers[HW_REG_UNKNOWN_FIELDS])
        hw_serfield(HW_FIELD_FUNCTION_RAW, object + unknown, 0);
    for (; field < end; field++)
        if (present(heap, type, object, field, &sound)) {
            if (HW_GET(field, ENTRY_UNSUPPORTED) || !put_field(heap, type, object, field, depth))
                return false;
        } else if (!sound) {
            return false;
        }
    return true;
}

struct hw_table_output hw_fields_serialize(const struct hw_type *type, hw_ref object, uint32_t max_depth, uint8_t *output,
                                           uint32_t size, uint32_t bound, uint32_t limit)
{
    const struct heap_range heap = {bound, limit > bound ? limit - bound : 0};
    uint32_t depth = max_depth != 0 && max_depth < HW_TABLE_MAX_DEPTH ? max_depth : HW_TABLE_MAX_DEPTH;
    uint32_t status = HW_STATUS_BROKEN;

    for (int attempt = 0; attempt < ATTEMPTS && status == HW_STATUS_BROKEN && hw_fields_present(); attempt++) {
        hw_field_set_up(HW_FIELD_SET_UP_OUTPUT, output, size);
        hw_field_set_up(HW_FIELD_SET_UP_HEAP, bound, limit);
        if (!put_message(&heap, type, object, depth)) {
            hw_fields_break();
            (void)hw_chksuccess(HW_FIELD_CHECK_STATUS, 0); /* nothing of it may be written after what software writes */
            break;
        }
        uint32_t length = hw_chksuccess(HW_FIELD_CHECK_LENGTH, 0);

        status = hw_chksuccess(HW_FIELD_CHECK_STATUS, 0);
        hw_fields_broken += status == HW_STATUS_BROKEN;
        if (status == HW_STATUS_OK)
            return (struct hw_table_output){.start = output + size - length, .length = length};
    }
    hw_fields_fallbacks++;
    return hw_table_serialize(type, object, max_depth, output, size, bound, limit);
}
