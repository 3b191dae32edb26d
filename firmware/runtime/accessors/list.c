#include "runtime/accessors/list.h"

#include <string.h>

#include "runtime/accessors/view.h"
#include "runtime/registers.h"

/* The smallest array that a list gets, in bytes of elements. */
#define FIRST_BYTES 16u
#define LIST_TO_ARRAY (HW_REG_KLASS_INT_ARRAY - HW_REG_KLASS_INT_ARRAY_LIST)

void *hw_list_element(hw_handle message, uint32_t offset, uint32_t index, uint32_t shift) {
    if (index >= hw_list_count(message, offset)) {
        hw_exception_raise(HW_OUT_OF_BOUNDS);
        return NULL;
    }
    const struct hw_array_list *list = hw_pointer(hw_read_32(message, offset));

    return hw_array_bytes(list->array) + (index << shift);
}

hw_handle hw_list_message(hw_handle message, uint32_t offset, uint32_t index) {
    const hw_ref *element = hw_list_element(message, offset, index, 2);

    return element ? hw_handle_hold(*element) : NULL;
}

#define REGISTER(name, code, wire, shift, list, encoding) [code] = list,

static uint32_t list_register(uint32_t type) {
    static const uint8_t registers[1 << HW_ENTRY_TYPE_WIDTH] = {HW_FIELD_TYPES(REGISTER)};

    return registers[type];
}

/* Copies the list's elements into `array`; references go through the barrier. */
static bool copy_elements(hw_handle list, hw_handle array, uint32_t type) {
    const struct hw_array_list *from = hw_handle_object(list);

    if (from->count == 0) return true;
    if (!hw_value_is_reference(type)) {
        memcpy(hw_array_bytes(array->reference), hw_array_bytes(from->array), from->count << hw_value_shift(type));
        return true;
    }
    const hw_ref *elements = (const hw_ref *)hw_array_bytes(from->array);
    hw_handle element = hw_handle_new(elements[0]);

    if (!element) {
        hw_exception_raise(HW_OUT_OF_HANDLES);
        return false;
    }
    /* No safepoint in this loop: one handle serves every element, and `elements` stays valid. */
    for (uint32_t i = 0; i < from->count; i++) {
        element->reference = elements[i];
        hw_set_element(array, i, element);
    }
    return true;
}

/* Gives the list an array twice as long and returns it. */
static hw_handle grow(hw_handle list, uint32_t type) {
    hw_ref old = ((const struct hw_array_list *)hw_handle_object(list))->array;
    uint32_t first = FIRST_BYTES >> hw_value_shift(type), length = old ? hw_array_length(old) : 0;
    uint32_t capacity = length <= UINT32_MAX / 2 ? 2 * length : UINT32_MAX;
    hw_handle array = hw_new_array(hw_pointer(hw_registers[list_register(type) + LIST_TO_ARRAY]),
                                   capacity > first ? capacity : first);

    if (!array || !copy_elements(list, array, type)) return NULL;
    hw_set(list, HW_OBJECT_ARRAY_LIST_ARRAY, array);
    return array;
}

hw_handle hw_list_room(hw_handle message, uint32_t offset, uint32_t type) {
    bool fresh = hw_read_32(message, offset) == 0;
    hw_handle list = fresh ? hw_new(hw_pointer(hw_registers[list_register(type)])) : hw_get(message, offset);

    if (!list) return NULL;
    const struct hw_array_list *object = hw_handle_object(list);
    bool full = object->array == 0 || object->count == hw_array_length(object->array);
    hw_handle array = full ? grow(list, type) : hw_get(list, HW_OBJECT_ARRAY_LIST_ARRAY);

    if (array && fresh) hw_set(message, offset, list);
    return array;
}

void hw_list_append(hw_handle message, uint32_t offset, uint32_t type, hw_handle array, uint64_t bits,
                    hw_handle value) {
    struct hw_array_list *list = hw_pointer(hw_read_32(message, offset));

    if (hw_value_is_reference(type))
        hw_set_element(array, list->count, value);
    else
        hw_value_store(hw_array_bytes(array->reference) + (list->count << hw_value_shift(type)), type, bits);
    list->count++;
}
