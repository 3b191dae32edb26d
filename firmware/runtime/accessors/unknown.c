#include "runtime/accessors/accessors.h"
#include "runtime/accessors/arenas.h"

#include <string.h>

#include "runtime/accessors/find.h"
#include "runtime/heap/card.h"
#include "runtime/heap/heap.h"
#include "runtime/registers.h"

struct hw_bytes hw_message_unknown_fields(hw_handle message, const struct hw_message_info *info) {
    return hw_field_unknown(message ? message->reference : 0, info);
}

static hw_handle list_in_arenas(hw_handle message, uint32_t length) {
    uint32_t bytes = sizeof(struct hw_array_list) + sizeof(struct hw_array) + hw_object_round(length);
    hw_ref taken = hw_arenas_take(message, length <= INT32_MAX ? bytes : INT32_MAX);
    struct hw_array_list *list = hw_pointer(taken);
    struct hw_array *array = (struct hw_array *)(list + 1);

    if (taken == 0) return NULL;
    memset(list, 0, bytes);
    list->header = (struct hw_object){HW_OBJECT_MARK_UNLOCKED, hw_registers[HW_REG_KLASS_BYTE_ARRAY_LIST]};
    list->count = array->length = length;
    list->array = hw_reference(array);
    array->header = (struct hw_object){HW_OBJECT_MARK_UNLOCKED, hw_registers[HW_REG_KLASS_LIST_BYTE_ARRAY]};
    return hw_handle_hold(taken);
}

/* Returns a list of `length` bytes, not set, beside a message. */
static hw_handle new_list(hw_handle message, uint32_t length) {
    if (!hw_object_in_heap(message->reference)) return list_in_arenas(message, length);
    hw_handle list = hw_new(hw_pointer(hw_registers[HW_REG_KLASS_BYTE_ARRAY_LIST]));
    hw_handle array = list ? hw_new_array(hw_pointer(hw_registers[HW_REG_KLASS_LIST_BYTE_ARRAY]), length) : NULL;

    if (!array) return NULL;
    hw_set(list, HW_OBJECT_ARRAY_LIST_ARRAY, array);
    ((struct hw_array_list *)hw_handle_object(list))->count = length;
    return list;
}

static uint8_t *bytes_of(hw_handle list) {
    return hw_array_bytes(((const struct hw_array_list *)hw_handle_object(list))->array);
}

static hw_ref *unknown_of(hw_handle message, const struct hw_message_info *info) {
    return hw_pointer(message->reference + info->unknown_fields);
}

bool hw_message_set_unknown_fields(hw_handle message, const struct hw_message_info *info, const void *data,
                                   uint32_t length) {
    HW_SCOPE;
    bool there = hw_object_there(message);
    hw_handle list = there && length != 0 ? new_list(message, length) : NULL;

    if (!there || (!list && length != 0)) return false;
    if (list) memcpy(bytes_of(list), data, length);
    hw_object_change(message, info);
    hw_write_message(unknown_of(message, info), list ? list->reference : hw_registers[HW_REG_UNKNOWN_FIELDS]);
    return true;
}

bool hw_message_add_unknown_fields(hw_handle message, const struct hw_message_info *info, hw_handle from) {
    HW_SCOPE;
    uint32_t before = hw_message_unknown_fields(message, info).length;
    uint32_t added = hw_message_unknown_fields(from, info).length;

    if (added == 0) return true;
    hw_handle list = hw_object_there(message) ? new_list(message, before + added) : NULL;

    if (!list) return false;
    if (before != 0) memcpy(bytes_of(list), hw_message_unknown_fields(message, info).data, before);
    memcpy(bytes_of(list) + before, hw_message_unknown_fields(from, info).data, added);
    hw_object_change(message, info);
    hw_write_message(unknown_of(message, info), list->reference);
    return true;
}

static bool initialized(hw_ref message, const struct hw_message_info *info, uint32_t depth);

static bool field_initialized(hw_ref message, const struct hw_message_info *info, const struct hw_field_info *field,
                              uint32_t depth) {
    hw_ref single;
    struct hw_values values = {(const char *)&single, 1};

    if ((field->flags & HW_FIELD_REQUIRED) && !hw_field_has(message, info, field)) return false;
    if (!field->message || !field->message->has_required) return true;
    if (field->flags & HW_FIELD_REPEATED)
        values = hw_field_elements(message, field);
    else if (hw_field_has(message, info, field))
        single = (hw_ref)hw_field_bits(message, field);
    else
        return true;
    for (uint32_t i = 0; i < values.count; i++) {
        if (depth == 0) {
            hw_error_raise(HW_STATUS_DEPTH_EXCEEDED);
            return false;
        }
        if (!initialized(hw_entry_at(values, i), field->message, depth - 1) &&
            !((field->flags & HW_FIELD_MAP) && !hw_entry_counts(values, hw_entry_key_field(field->message), i)))
            return false;
    }
    return true;
}

static bool initialized(hw_ref message, const struct hw_message_info *info, uint32_t depth) {
    if (!info->has_required) return true;
    for (uint32_t i = 0; i < info->field_count; i++)
        if (!field_initialized(message, info, &info->fields[i], depth)) return false;
    return true;
}

bool hw_message_is_initialized(hw_handle message, const struct hw_message_info *info) {
    uint32_t depth;

    return hw_message_depth(&depth) && initialized(message ? message->reference : 0, info, depth);
}
