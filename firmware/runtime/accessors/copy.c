/* Whole messages: cleared, merged, copied. */
#include <string.h>

#include "runtime/accessors/accessors.h"
#include "runtime/accessors/fresh.h"
#include "runtime/accessors/view.h"
#include "runtime/heap/card.h"

bool hw_message_clear_all(hw_handle message, const struct hw_message_info *info) {
    if (!hw_object_there(message)) return false;
    char *object = hw_handle_object(message);

    memset(object + HW_OBJECT_HEADER_SIZE, 0, info->object_size - HW_OBJECT_HEADER_SIZE);
    hw_object_forget(message->reference, info);
    hw_write_message((hw_ref *)(void *)(object + info->unknown_fields), hw_registers[HW_REG_UNKNOWN_FIELDS]);
    return hw_map_rekey(); /* it may be an entry */
}

/* Returns a byte string for another message: the same, as byte strings do not change, or a copy if not both lie in the
 * heap: arenas may end. A handle; NULL with an error. */
static hw_handle shared(hw_handle to, hw_ref string) {
    struct hw_bytes bytes = hw_byte_string_bytes(string);
    bool same = string && hw_object_in_heap(string) && hw_object_in_heap(to->reference);

    return hw_handle_hold(same ? string : hw_object_bytes_beside(to, bytes.data, bytes.length));
}

static bool merge(hw_handle to, hw_handle from, const struct hw_message_info *info, uint32_t depth);

static bool merge_sub(hw_handle to, hw_ref from, const struct hw_message_info *info, uint32_t depth) {
    if (depth != 0) return to && (from == 0 || merge(to, hw_handle_hold(from), info, depth - 1));
    hw_error_raise(HW_STATUS_DEPTH_EXCEEDED);
    return false;
}

/* Adds element `i` of a list. */
static bool merge_element(hw_handle to, hw_handle from, const struct hw_message_info *info, uint32_t index, uint32_t i,
                          uint32_t depth) {
    const struct hw_field_info *field = &info->fields[index];
    hw_handle made;
    HW_SCOPE;

    if (hw_value_is_message(field->type)) {
        made = hw_message_add_message(to, info, index); /* before the element is looked at: a safepoint */
        return made &&
               merge_sub(made, hw_entry_at(hw_field_elements(from->reference, field), i), field->message, depth);
    }
    uint64_t bits =
        hw_value_load(hw_field_elements(from->reference, field).at + (i << hw_value_shift(field->type)), field->type);

    if (!hw_value_is_bytes(field->type)) return hw_message_add(to, info, index, bits);
    made = shared(to, (hw_ref)bits);
    return made && hw_message_add_element(to, info, index, made);
}

static bool merge_field(hw_handle to, hw_handle from, const struct hw_message_info *info, uint32_t index,
                        uint32_t depth) {
    const struct hw_field_info *field = &info->fields[index];
    uint32_t count = field->flags & HW_FIELD_REPEATED ? hw_field_elements(from->reference, field).count : 0;
    HW_SCOPE;

    for (uint32_t i = 0; i < count; i++)
        if (!merge_element(to, from, info, index, i, depth)) return false;
    if ((field->flags & HW_FIELD_REPEATED) || !hw_field_has(from->reference, info, field)) return true;
    if (hw_value_is_message(field->type)) {
        hw_handle sub = hw_message_mutable(to, info, index);
        return merge_sub(sub, (hw_ref)hw_field_bits(from->reference, field), field->message, depth);
    }
    uint64_t bits = hw_field_bits(from->reference, field);

    if (!hw_value_is_bytes(field->type)) return hw_message_set(to, info, index, bits);
    hw_handle string = shared(to, (hw_ref)bits);

    return string && hw_message_set_message(to, info, index, string);
}

static bool merge(hw_handle to, hw_handle from, const struct hw_message_info *info, uint32_t depth) {
    if (!from) return false;
    for (uint32_t i = 0; i < info->field_count; i++)
        if (!merge_field(to, from, info, i, depth)) return false;
    return hw_message_add_unknown_fields(to, info, from);
}

bool hw_message_merge(hw_handle to, hw_handle from, const struct hw_message_info *info) {
    uint32_t depth;
    bool merged = hw_object_there(to) && (!from || (hw_message_depth(&depth) && merge(to, from, info, depth)));

    hw_map_rekey();
    return merged;
}

hw_handle hw_message_clone(hw_handle message, const struct hw_message_info *info) {
    hw_scope scope = hw_scope_open();
    hw_handle made = hw_message_new(info);

    if (made && hw_message_merge(made, message, info)) return made;
    hw_scope_close(scope);
    return NULL;
}
