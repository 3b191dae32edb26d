#include "protobuf/fields/fields.h"

#include "runtime/registers.h"
#include "runtime/thread.h"

#define ATTEMPTS 3

uint32_t hw_fields_fallbacks, hw_fields_broken;

/* The range in which objects may lie, and how many more messages the output may have room for. The count is needed
 * because the unit accepts fields without an answer even when its output is full: the walk of a graph that refers to
 * one object many times would hardly end. */
struct walk {
    uint32_t bound, span, messages;
};

#define LEAST_MESSAGE 2 /* fewest bytes of a submessage or group, with its keys or length */

static inline bool holds(const struct walk *heap, hw_ref reference, uint32_t size) {
    uint32_t distance = reference - heap->bound;

    return reference % HW_OBJECT_ALIGNMENT == 0 && distance <= heap->span && size <= heap->span - distance;
}

/* Returns 1 if the string has bytes, 0 if not, and -1 if its references are invalid. */
static int has_bytes(const struct walk *heap, hw_ref reference) {
    const struct hw_byte_string *string = hw_pointer(reference);

    if (reference == 0) return 0;
    if (!holds(heap, reference, HW_OBJECT_BYTE_STRING_SIZE) || !holds(heap, string->bytes, HW_OBJECT_ARRAY_ELEMENTS))
        return -1;
    return hw_array_length(string->bytes) != 0;
}

static bool put_message(struct walk *heap, const struct hw_type *type, hw_ref reference, uint32_t depth);

/* Writes a submessage or group with its keys or length. */
static bool put_submessage(struct walk *heap, const struct hw_type *type, const struct hw_field *field,
                           hw_ref reference, uint32_t depth) {
    uint32_t number = HW_GET(field, ENTRY_KEY) >> 3;
    bool group = HW_GET(field, ENTRY_TYPE) == HW_TYPE_GROUP;

    if (depth == 0 || heap->messages-- == 0 ||
        !hw_type_ordered_valid(hw_reference(hw_field_type(type, field)), hw_registers[HW_REG_TABLE_BASE],
                               hw_registers[HW_REG_TABLE_LIMIT]))
        return false;
    if (group)
        hw_serfield(HW_TYPE_GROUP | HW_FIELD_FUNCTION_FLAG, 0, number);
    else
        hw_serfield(HW_TYPE_MESSAGE | HW_FIELD_FUNCTION_FLAG, 0, number);
    if (!put_message(heap, hw_field_type(type, field), reference, depth - 1)) return false;
    if (group)
        hw_serfield(HW_TYPE_GROUP, 0, number);
    else
        hw_serfield(HW_TYPE_MESSAGE, 0, number);
    return true;
}

static bool put_submessages(struct walk *heap, const struct hw_type *type, const struct hw_field *field,
                            hw_ref reference, uint32_t depth) {
    const struct hw_array_list *list = hw_pointer(reference);

    if (!holds(heap, reference, HW_OBJECT_ARRAY_LIST_SIZE)) return false;
    if (list->count == 0) return true;
    if (!holds(heap, list->array, HW_OBJECT_ARRAY_ELEMENTS) || list->count > hw_array_length(list->array) ||
        list->count > heap->span / sizeof(hw_ref) ||
        !holds(heap, list->array, HW_OBJECT_ARRAY_ELEMENTS + list->count * 4))
        return false;
    const hw_ref *first = (const hw_ref *)(const void *)hw_array_bytes(list->array);

    for (const hw_ref *element = first + list->count; element > first;)
        if (!put_submessage(heap, type, field, *--element, depth)) return false;
    return true;
}

/* Decides whether a field with implicit presence is written: 1, 0, or -1 if software must find the error. */
static int has_value(const struct walk *heap, const struct hw_field *field, hw_ref slot) {
    const uint32_t *words = hw_pointer(slot);
    uint32_t kind = HW_GET(field, ENTRY_TYPE);

    if (kind == HW_TYPE_STRING || kind == HW_TYPE_BYTES) return has_bytes(heap, words[0]);
    switch (hw_value_shift(kind)) {
        case 0:
            return *(const uint8_t *)words != 0;
        case 2:
            return words[0] != 0;
        default:
            return (words[0] | words[1]) != 0;
    }
}

/* Writes a field of messages or groups. */
static __attribute__((noinline)) bool put_nested(struct walk *heap, const struct hw_type *type,
                                                 const struct hw_field *field, hw_ref slot, uint32_t depth) {
    hw_ref reference = *(const hw_ref *)hw_pointer(slot);
    uint32_t number = HW_GET(field, ENTRY_KEY) >> 3;

    if (HW_GET(field, ENTRY_REPEATED)) return put_submessages(heap, type, field, reference, depth);
    if (reference != 0 || HW_GET(field, ENTRY_PRESENCE) != HW_ADT_PRESENCE_ALWAYS)
        return put_submessage(heap, type, field, reference, depth);
    hw_serfield(HW_TYPE_MESSAGE | HW_FIELD_FUNCTION_FLAG, 0, number); /* the absent value of a map entry */
    hw_serfield(HW_TYPE_MESSAGE, 0, number);
    return true;
}

#define NESTED (1u << HW_TYPE_MESSAGE | 1u << HW_TYPE_GROUP)

/* Writes the fields of a message, the highest number first. Returns false if software must take over, for example to
 * find the error. */
static bool put_message(struct walk *heap, const struct hw_type *type, hw_ref reference, uint32_t depth) {
    const struct hw_field *field = hw_type_ordered(type), *end = field + HW_GET(type, ADT_FIELD_COUNT);
    const struct hw_object *object = hw_pointer(reference);
    const uint32_t *hasbits = hw_pointer(reference + HW_GET(type, ADT_HASBITS_OFFSET));
    hw_ref unknown = reference + HW_GET(type, ADT_UNKNOWN_FIELDS_OFFSET);
    int value;

    if (!holds(heap, reference, HW_GET(type, ADT_OBJECT_SIZE)) || object->klass != HW_GET(type, ADT_KLASS))
        return false;
    if (unknown != reference && *(const hw_ref *)hw_pointer(unknown) != hw_registers[HW_REG_UNKNOWN_FIELDS])
        hw_serfield(HW_FIELD_FUNCTION_RAW, unknown, 0);
    for (; field < end; field++) {
        uint32_t word = field->words[HW_ENTRY_TYPE_OFFSET / 4], number = HW_GET(field, ENTRY_KEY) >> 3;
        uint32_t bit = HW_GET(field, ENTRY_HASBIT), kind = HW_GET(field, ENTRY_TYPE);
        hw_ref slot = reference + HW_GET(field, ENTRY_OFFSET);

        switch (HW_GET(field, ENTRY_PRESENCE)) {
            case HW_ADT_PRESENCE_HASBIT:
                if (!(hasbits[bit / 32] >> bit % 32 & 1)) continue;
                break;
            case HW_ADT_PRESENCE_REFERENCE:
                if (*(const hw_ref *)hw_pointer(slot) == 0) continue;
                break;
            case HW_ADT_PRESENCE_IMPLICIT:
                value = has_value(heap, field, slot);
                if (value < 0) return false;
                if (value == 0) continue;
                break;
            case HW_ADT_PRESENCE_CASE:
                if (*(const uint32_t *)hw_pointer(reference + HW_GET(field, ENTRY_CASE_OFFSET)) != number) continue;
                break;
            case HW_ADT_PRESENCE_REQUIRED:
                if (!(hasbits[bit / 32] >> bit % 32 & 1)) return false;
                break;
            default:
                break;
        }
        if (__builtin_expect(HW_GET(field, ENTRY_UNSUPPORTED), 0)) return false;
        if (NESTED >> kind & 1) {
            if (!put_nested(heap, type, field, slot, depth)) return false;
            continue;
        }
        /* Type and repeated flag are adjacent bits. Strings are never packed and scalars never check UTF-8, so both
         * flags share one bit. */
        uint32_t function =
            (word >> HW_ENTRY_TYPE_BIT & (HW_FIELD_FUNCTION_REPEATED * 2 - 1)) |
            ((word >> HW_ENTRY_CHECK_UTF8_BIT | word >> HW_ENTRY_PACKED_BIT) & 1) * HW_FIELD_FUNCTION_FLAG;

        hw_field_serialize(function, slot, number);
    }
    return true;
}

struct hw_protobuf_codec_bytes hw_fields_write(const struct hw_type *type, hw_ref object, uint32_t max_depth,
                                               uint8_t *output, uint32_t size, uint32_t bound, uint32_t limit) {
    struct walk heap = {.bound = bound, .span = limit > bound ? limit - bound : 0};
    uint32_t depth =
        max_depth != 0 && max_depth < HW_PROTOBUF_CODEC_MAX_DEPTH ? max_depth : HW_PROTOBUF_CODEC_MAX_DEPTH;
    uint32_t levels = hw_stack_levels(depth + 1, HW_FIELDS_STACK);
    uint32_t status = HW_STATUS_BROKEN;
    bool valid =
        hw_reference(output) + size >= hw_reference(output) && levels != 0 &&
        hw_type_ordered_valid(hw_reference(type), hw_registers[HW_REG_TABLE_BASE], hw_registers[HW_REG_TABLE_LIMIT]);

    for (int attempt = 0; valid && attempt < ATTEMPTS && status == HW_STATUS_BROKEN && hw_fields_present(); attempt++) {
        hw_field_set_up(HW_FIELD_SET_UP_OUTPUT, output, size);
        hw_field_set_up(HW_FIELD_SET_UP_HEAP, bound, limit);
        heap.messages = size / LEAST_MESSAGE;
        if (!put_message(&heap, type, object, levels - 1)) {
            hw_fields_break();
            /* the unit must not write any more after software begins to */
            (void)hw_chksuccess(HW_FIELD_CHECK_STATUS, 0);
            break;
        }
        uint32_t length = hw_chksuccess(HW_FIELD_CHECK_LENGTH, 0);

        status = hw_chksuccess(HW_FIELD_CHECK_STATUS, 0);
        hw_fields_broken += status == HW_STATUS_BROKEN;
        if (status == HW_STATUS_OK)
            return (struct hw_protobuf_codec_bytes){.start = output + size - length, .length = length};
    }
    hw_fields_fallbacks++;
    return hw_protobuf_codec_write(type, object, max_depth, output, size, bound, limit);
}
