/* Elements put into the middle of lists, and taken out. */
#include <string.h>

#include "runtime/accessors/build.h"
#include "runtime/accessors/view.h"
#include "runtime/heap/card.h"

/* Returns the list of a field, which is there. */
static struct hw_array_list *list_of(hw_handle message, const struct hw_field_info *field) {
    return hw_pointer(hw_read_32(message, field->offset));
}

/* Copies `count` elements from index `from` to index `to` of the list's array, whose parts may overlap. */
static void move(struct hw_array_list *list, const struct hw_field_info *field, uint32_t to, uint32_t from,
                 uint32_t count) {
    uint32_t shift = hw_value_shift(field->type);
    uint8_t *elements = hw_array_bytes(list->array);

    memmove(elements + (to << shift), elements + (from << shift), count << shift);
    if (!hw_value_is_reference(field->type)) return;
    for (hw_ref *slot = (hw_ref *)(void *)elements + to; count != 0; count--, slot++) hw_write_message(slot, *slot);
}

bool hw_message_may_insert(hw_handle message, const struct hw_message_info *info, uint32_t index, uint32_t at) {
    if (!hw_object_there(message)) return false;
    if (at > hw_list_count(message, info->fields[index].offset)) {
        hw_error_raise(HW_STATUS_NO_ELEMENT);
        return false;
    }
    return true;
}

bool hw_message_bring_to(hw_handle message, const struct hw_message_info *info, uint32_t index, uint32_t at) {
    const struct hw_field_info *field = &info->fields[index];
    struct hw_array_list *list = list_of(message, field);
    uint32_t last = list->count - 1, shift = hw_value_shift(field->type);
    uint8_t *elements = hw_array_bytes(list->array);
    uint64_t brought = hw_value_load(elements + (last << shift), field->type);

    move(list, field, at + 1, at, last - at);
    if (hw_value_is_reference(field->type))
        hw_write_message((hw_ref *)(void *)elements + at, (hw_ref)brought);
    else
        hw_value_store(elements + (at << shift), field->type, brought);
    return true;
}

bool hw_message_remove_at(hw_handle message, const struct hw_message_info *info, uint32_t index, uint32_t at) {
    const struct hw_field_info *field = &info->fields[index];
    uint32_t shift = hw_value_shift(field->type);

    if (!hw_object_there(message) || !hw_list_element(message, field->offset, at, shift)) return false;
    struct hw_array_list *list = list_of(message, field);

    move(list, field, at, at + 1, list->count - at - 1);
    list->count--;
    memset(hw_array_bytes(list->array) + (list->count << shift), 0, 1u << shift);
    hw_object_forget(message->reference, info);
    return true;
}
