#include "runtime/message.h"

#include "runtime/registers.h"

bool hw_message_has(const struct hw_message *message, const struct hw_type *type, const struct hw_field *field) {
    if (HW_GET(field, ENTRY_REPEATED)) return hw_message_list(message, field).count != 0;
    if (HW_GET(field, ENTRY_IN_ONEOF))
        return *(const uint32_t *)((const char *)message + HW_GET(field, ENTRY_CASE_OFFSET)) ==
               HW_GET(field, ENTRY_NUMBER);
    if (!HW_GET(field, ENTRY_HAS_HASBIT)) return false;
    uint32_t bit = HW_GET(field, ENTRY_HASBIT);
    const uint32_t *words = (const uint32_t *)((const char *)message + HW_GET(type, ADT_HASBITS_OFFSET));

    return words[bit / 32] >> bit % 32 & 1;
}

struct hw_list hw_message_list(const struct hw_message *message, const struct hw_field *field) {
    const struct hw_array_list *list = hw_pointer(*(const hw_ref *)hw_message_slot(message, field));

    if (!list || list->array == 0) return (struct hw_list){0};
    return (struct hw_list){.elements = hw_array_bytes(list->array), .count = list->count};
}

struct hw_bytes hw_message_unknown(const struct hw_message *message, const struct hw_type *type) {
    uint32_t offset = HW_GET(type, ADT_UNKNOWN_FIELDS_OFFSET);
    hw_ref reference = offset != HW_ADT_NO_OFFSET ? *(const hw_ref *)((const char *)message + offset) : 0;
    const struct hw_array_list *list = hw_pointer(reference);

    if (!list || list->array == 0) return (struct hw_bytes){0};
    return (struct hw_bytes){.data = hw_array_bytes(list->array), .length = list->count};
}

bool hw_byte_string_is_sound(hw_ref string) {
    const struct hw_byte_view *view = hw_pointer(string);
    bool is_view = view->header.klass == hw_registers[HW_REG_KLASS_BYTE_VIEW];

    if (!is_view && view->header.klass != hw_registers[HW_REG_KLASS_BYTE_STRING]) return false;
    if (is_view != (view->mark == HW_OBJECT_BYTE_VIEW_MARK)) return false;
    hw_ref array = is_view ? view->owner : ((const struct hw_byte_string *)hw_pointer(string))->bytes;

    if (!array || ((const struct hw_object *)hw_pointer(array))->klass != hw_registers[HW_REG_KLASS_BYTE_ARRAY])
        return false;
    return !is_view ||
           (view->offset <= hw_array_length(array) && view->length <= hw_array_length(array) - view->offset);
}
