#include "runtime/accessors/build_object.h"

#include <string.h>

#include "runtime/accessors/build.h"
#include "runtime/registers.h"

bool hw_object_there(hw_handle message) {
    if (!message) hw_exception_raise(HW_NULL_MESSAGE);
    return message != NULL;
}

static void unset(hw_handle message, uint32_t offset) {
    *(int32_t *)((char *)hw_handle_object(message) + offset) = HW_OBJECT_MEMO_UNSET;
}

bool hw_object_change(hw_handle message, const struct hw_message_info *info) {
    if (!hw_object_there(message)) return false;
    unset(message, info->memoized_size);
    unset(message, info->memoized_is_initialized);
    return true;
}

hw_handle hw_message_new(const struct hw_message_info *info) {
    const struct hw_klass *klass = hw_message_klass_of(info);
    hw_handle message = klass ? hw_new(klass) : NULL;
    /* Read after the allocation, which may have moved the singleton. */
    struct hw_handle_slot unknown_fields = {hw_registers[HW_REG_UNKNOWN_FIELDS]};

    if (message) {
        hw_object_change(message, info);
        hw_set(message, info->unknown_fields, &unknown_fields);
    }
    return message;
}

hw_handle hw_object_new_bytes(const void *data, uint32_t length) {
    hw_handle string = hw_new(hw_pointer(hw_registers[HW_REG_KLASS_BYTE_STRING]));
    hw_scope scope = hw_scope_open();
    hw_handle bytes = string ? hw_new_array(hw_pointer(hw_registers[HW_REG_KLASS_BYTE_ARRAY]), length) : NULL;

    if (bytes) {
        if (length != 0) memcpy(hw_array_bytes(bytes->reference), data, length);
        hw_set(string, HW_OBJECT_BYTE_STRING_BYTES, bytes);
    }
    hw_scope_close(scope);
    return bytes ? string : NULL;
}
