#include "runtime/accessors/build.h"
#include "runtime/accessors/build_object.h"
#include "runtime/accessors/value.h"

/* Appends an existing element. Making room comes first, because nothing after it can fail. */
static bool add(hw_handle message, const struct hw_message_info *info, uint32_t index, uint64_t bits, hw_handle value) {
    const struct hw_field_info *field = &info->fields[index];
    hw_scope scope = hw_scope_open();
    hw_handle array = hw_list_room(message, field->offset, field->type);

    if (array) {
        hw_object_change(message, info);
        hw_list_append(message, field->offset, field->type, array, bits, value);
    }
    hw_scope_close(scope);
    return array != NULL;
}

bool hw_message_add(hw_handle message, const struct hw_message_info *info, uint32_t index, uint64_t bits) {
    return hw_object_there(message) && add(message, info, index, bits, NULL);
}

bool hw_message_add_bytes(hw_handle message, const struct hw_message_info *info, uint32_t index, const void *data,
                          uint32_t length) {
    hw_scope scope = hw_scope_open();
    hw_handle string = hw_object_there(message) ? hw_object_new_bytes(data, length) : NULL;
    bool added = string && add(message, info, index, 0, string);

    hw_scope_close(scope);
    return added;
}

bool hw_message_add_element(hw_handle message, const struct hw_message_info *info, uint32_t index, hw_handle element) {
    return hw_object_there(message) && add(message, info, index, 0, element);
}

hw_handle hw_message_add_message(hw_handle message, const struct hw_message_info *info, uint32_t index) {
    hw_scope scope = hw_scope_open();
    hw_handle element = hw_object_there(message) ? hw_message_new(info->fields[index].message) : NULL;

    if (element && add(message, info, index, 0, element)) return element;
    hw_scope_close(scope);
    return NULL;
}

bool hw_message_set_at(hw_handle message, const struct hw_message_info *info, uint32_t index, uint32_t at,
                       uint64_t bits) {
    const struct hw_field_info *field = &info->fields[index];

    if (!hw_object_there(message)) return false;
    void *element = hw_list_element(message, field->offset, at, hw_value_shift(field->type));

    if (!element) return false;
    hw_object_change(message, info);
    hw_value_store(element, field->type, bits);
    return true;
}

bool hw_message_set_bytes_at(hw_handle message, const struct hw_message_info *info, uint32_t index, uint32_t at,
                             const void *data, uint32_t length) {
    const struct hw_field_info *field = &info->fields[index];
    hw_scope scope = hw_scope_open();
    bool there = hw_object_there(message) && hw_list_element(message, field->offset, at, 2) != NULL;
    hw_handle string = there ? hw_object_new_bytes(data, length) : NULL;
    hw_handle list = string ? hw_get(message, field->offset) : NULL;
    hw_handle array = list ? hw_get(list, HW_OBJECT_ARRAY_LIST_ARRAY) : NULL;

    if (array) {
        hw_object_change(message, info);
        hw_set_element(array, at, string);
    }
    hw_scope_close(scope);
    return array != NULL;
}

hw_handle hw_message_mutable_at(hw_handle message, const struct hw_message_info *info, uint32_t index, uint32_t at) {
    hw_handle element = hw_object_there(message) ? hw_list_message(message, info->fields[index].offset, at) : NULL;

    if (element) hw_object_change(message, info);
    return element;
}
