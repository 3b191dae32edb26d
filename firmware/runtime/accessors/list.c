#include "runtime/accessors/list.h"

#include <string.h>

#include "runtime/accessors/fresh.h"
#include "runtime/accessors/view.h"
#include "runtime/heap/card.h"

/* The smallest array that a list gets, in bytes of elements. References come in numbers, and a larger array is cheaper
 * than the next one. */
#define FIRST_BYTES 16u
#define FIRST_REFERENCE_BYTES 32u
#define LIST_TO_ARRAY (HW_REG_KLASS_INT_ARRAY - HW_REG_KLASS_INT_ARRAY_LIST)

OFTEN void *hw_list_element(hw_handle message, uint32_t offset, uint32_t index, uint32_t shift) {
    if (index >= hw_list_count(message, offset)) {
        hw_error_raise(HW_STATUS_NO_ELEMENT);
        return NULL;
    }
    const struct hw_array_list *list = hw_pointer(hw_read_32(message, offset));

    return hw_array_bytes(list->array) + (index << shift);
}

OFTEN hw_handle hw_list_message(hw_handle message, uint32_t offset, uint32_t index) {
    const hw_ref *element = hw_list_element(message, offset, index, 2);

    return element ? hw_handle_hold(*element) : NULL;
}

#define REGISTER(name, code, wire, shift, list, encoding) [code] = list,

static uint32_t list_register(uint32_t type) {
    static const uint8_t registers[1 << HW_ENTRY_TYPE_WIDTH] = {HW_FIELD_TYPES(REGISTER)};

    return registers[type];
}

static uint32_t first_bytes(uint32_t type) { return hw_value_is_reference(type) ? FIRST_REFERENCE_BYTES : FIRST_BYTES; }

/* Returns a new empty list with an array, which are taken at once, beside a message; 0 with an error. */
static hw_ref new_list(hw_handle message, uint32_t type) {
    uint32_t bytes = first_bytes(type), list_class = list_register(type);
    hw_ref taken = hw_object_take_beside(message, sizeof(struct hw_array_list) + sizeof(struct hw_array) + bytes);
    struct hw_array_list *list = hw_pointer(taken);
    struct hw_array *array = (struct hw_array *)(list + 1);

    if (UNLIKELY(taken == 0)) return 0;
    list->header = (struct hw_object){HW_OBJECT_MARK_UNLOCKED, hw_registers[list_class]};
    list->count = 0;
    list->array = hw_reference(array);
    array->header = (struct hw_object){HW_OBJECT_MARK_UNLOCKED, hw_registers[list_class + LIST_TO_ARRAY]};
    array->length = bytes >> hw_value_shift(type);
    array->padding = 0;
    for (uint32_t *word = (uint32_t *)(void *)array->elements, *end = word + bytes / 4; word != end;) *word++ = 0;
    return taken;
}

/* Returns a new array beside a list. */
static hw_ref new_array(hw_handle list, const struct hw_klass *klass, uint32_t length) {
    if (hw_object_in_heap(list->reference)) return hw_allocate_array(klass, length);
    bool possible = length <= (uint32_t)(INT32_MAX - HW_OBJECT_ARRAY_ELEMENTS) >> klass->element_shift;
    uint32_t bytes = possible ? hw_klass_bytes(klass, length) : INT32_MAX;
    hw_ref taken = hw_arenas_take(list, bytes);
    struct hw_array *array = hw_pointer(taken);

    if (taken == 0) return 0;
    memset(array, 0, bytes);
    array->header = (struct hw_object){HW_OBJECT_MARK_UNLOCKED, hw_reference(klass)};
    array->length = length;
    return taken;
}

/* Gives the list, which is an object of `handle`, an array twice as long. */
static bool grow(hw_handle handle, uint32_t type) {
    hw_ref old = ((const struct hw_array_list *)hw_handle_object(handle))->array;
    uint32_t first = first_bytes(type) >> hw_value_shift(type), length = old ? hw_array_length(old) : 0;
    uint32_t capacity = length <= UINT32_MAX / 2 ? 2 * length : UINT32_MAX;
    hw_ref array = new_array(handle, hw_pointer(hw_registers[list_register(type) + LIST_TO_ARRAY]),
                             capacity > first ? capacity : first);

    if (array == 0) return false;
    struct hw_array_list *list = hw_handle_object(handle);

    /* The array is new, so that its references need no barrier. */
    if (list->count != 0)
        memcpy(hw_array_bytes(array), hw_array_bytes(list->array), list->count << hw_value_shift(type));
    hw_write_message(&list->array, array);
    return true;
}

/* hw_list_room where the list is absent or full. */
static __attribute__((noinline, hot)) struct hw_array_list *make_room(hw_handle message, uint32_t offset,
                                                                      uint32_t type) {
    hw_ref there = hw_read_32(message, offset);

    if (there == 0) {
        there = new_list(message, type);
        if (there != 0) hw_write_message(hw_pointer(message->reference + offset), there);
        return hw_pointer(there);
    }
    HW_SCOPE;
    hw_handle list = hw_handle_hold(there);

    return list && grow(list, type) ? hw_handle_object(list) : NULL;
}

OFTEN struct hw_array_list *hw_list_room(hw_handle message, uint32_t offset, uint32_t type) {
    struct hw_array_list *list = hw_pointer(hw_read_32(message, offset));
    bool room = list && list->array && list->count < hw_array_length(list->array);

    return LIKELY(room) ? list : make_room(message, offset, type);
}
