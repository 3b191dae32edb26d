#include "protobuf/fields/generated.h"
#include "runtime/message.h"
#include "runtime/schema.h"
#include "runtime/thread.h"

#define ATTEMPTS 3
#define LEAST_MESSAGE 2 /* fewest bytes of a submessage or group, with its keys or length */

uint32_t hw_fields_fallbacks, hw_fields_broken;

bool hw_fields_has_bytes(const struct hw_fields_writer *writer, hw_ref reference) {
    const struct hw_byte_string *string = hw_pointer(reference);

    if (reference == 0) return false;
    if (!hw_fields_holds(writer, reference, HW_OBJECT_BYTE_STRING_SIZE)) return true;
    if (hw_is_byte_view(reference))
        return !hw_fields_holds(writer, reference, sizeof(struct hw_byte_view)) ||
               ((const struct hw_byte_view *)hw_pointer(reference))->length != 0;
    if (!hw_fields_holds(writer, string->bytes, HW_OBJECT_ARRAY_ELEMENTS)) return true;
    return hw_array_length(string->bytes) != 0;
}

bool hw_fields_put(struct hw_fields_writer *writer, const struct hw_fields_type *type, hw_ref message, uint32_t number,
                   bool group) {
    if (writer->depth == 0 || writer->messages-- == 0) return false;
    if (group)
        hw_serfield(HW_TYPE_GROUP | HW_FIELD_FUNCTION_FLAG, 0, number);
    else
        hw_serfield(HW_TYPE_MESSAGE | HW_FIELD_FUNCTION_FLAG, 0, number);
    writer->depth--;
    if (message != 0 && !type->write(writer, message)) return false;
    writer->depth++;
    if (group)
        hw_serfield(HW_TYPE_GROUP, 0, number);
    else
        hw_serfield(HW_TYPE_MESSAGE, 0, number);
    return true;
}

bool hw_fields_put_list(struct hw_fields_writer *writer, const struct hw_fields_type *type, hw_ref reference,
                        uint32_t number, bool group) {
    const struct hw_array_list *list = hw_pointer(reference);

    if (!hw_fields_holds(writer, reference, HW_OBJECT_ARRAY_LIST_SIZE)) return false;
    if (list->count == 0) return true;
    if (!hw_fields_holds(writer, list->array, HW_OBJECT_ARRAY_ELEMENTS) || list->count > hw_array_length(list->array) ||
        list->count > writer->span / sizeof(hw_ref) ||
        !hw_fields_holds(writer, list->array, HW_OBJECT_ARRAY_ELEMENTS + list->count * 4))
        return false;
    const hw_ref *first = (const hw_ref *)(const void *)hw_array_bytes(list->array);

    for (const hw_ref *element = first + list->count; element > first;)
        if (*--element == 0 || !hw_fields_put(writer, type, *element, number, group)) return false;
    return true;
}

struct hw_protobuf_codec_bytes hw_fields_write(const struct hw_fields_type *type, hw_ref object, uint32_t max_depth,
                                               uint8_t *output, uint32_t size, uint32_t bound, uint32_t limit) {
    uint32_t depth =
        max_depth != 0 && max_depth < HW_PROTOBUF_CODEC_MAX_DEPTH ? max_depth : HW_PROTOBUF_CODEC_MAX_DEPTH;
    uint32_t levels = hw_stack_levels(depth + 1, HW_FIELDS_STACK);
    uint32_t status = HW_STATUS_BROKEN;
    bool valid = hw_reference(output) + size >= hw_reference(output) && levels != 0;

    if (!hw_message_klass_of(type->info))
        return (struct hw_protobuf_codec_bytes){.status = HW_STATUS_BAD_DESCRIPTOR, .at = object};
    for (int attempt = 0; valid && attempt < ATTEMPTS && status == HW_STATUS_BROKEN && hw_fields_present(); attempt++) {
        struct hw_fields_writer writer = {
            .bound = bound,
            .span = limit > bound ? limit - bound : 0,
            .depth = levels - 1,
            .messages = size / LEAST_MESSAGE,
        };

        hw_field_set_up(HW_FIELD_SET_UP_OUTPUT, output, size);
        hw_field_set_up(HW_FIELD_SET_UP_HEAP, bound, limit);
        if (!type->write(&writer, object)) {
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
    return hw_protobuf_codec_write(hw_schema_find(type->info->name), object, max_depth, output, size, bound, limit);
}
