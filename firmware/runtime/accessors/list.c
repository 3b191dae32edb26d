#include "runtime/accessors/list.h"

#include <string.h>

#include "runtime/accessors/view.h"
#include "runtime/compiler.h"
#include "runtime/heap/card.h"
#include "runtime/registers.h"

/* The smallest array that a list gets, in bytes of elements. */
#define FIRST_BYTES 16u
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

/* Gives the list, which is an object of `handle`, an array twice as long. */
static bool grow(hw_handle handle, uint32_t type) {
    hw_ref old = ((const struct hw_array_list *)hw_handle_object(handle))->array;
    uint32_t first = FIRST_BYTES >> hw_value_shift(type), length = old ? hw_array_length(old) : 0;
    uint32_t capacity = length <= UINT32_MAX / 2 ? 2 * length : UINT32_MAX;
    hw_ref array = hw_allocate_array(hw_pointer(hw_registers[list_register(type) + LIST_TO_ARRAY]),
                                     capacity > first ? capacity : first);

    if (array == 0) return false;
    struct hw_array_list *list = hw_handle_object(handle);

    /* The array is new, so that its references need no barrier. */
    if (list->count != 0)
        memcpy(hw_array_bytes(array), hw_array_bytes(list->array), list->count << hw_value_shift(type));
    hw_write(&list->array, array);
    return true;
}

/* hw_list_room where the list is absent or full. */
static __attribute__((noinline, hot)) struct hw_array_list *make_room(hw_handle message, uint32_t offset,
                                                                      uint32_t type) {
    hw_ref there = hw_read_32(message, offset);
    hw_scope scope = hw_scope_open();
    hw_handle list = hw_handle_hold(there ? there : hw_allocate(hw_pointer(hw_registers[list_register(type)])));
    bool grown = list && grow(list, type);
    struct hw_array_list *object = grown ? hw_handle_object(list) : NULL;

    if (grown) hw_write(hw_pointer(message->reference + offset), list->reference);
    hw_scope_close(scope);
    return object;
}

OFTEN struct hw_array_list *hw_list_room(hw_handle message, uint32_t offset, uint32_t type) {
    struct hw_array_list *list = hw_pointer(hw_read_32(message, offset));
    bool room = list && list->array && list->count < hw_array_length(list->array);

    return LIKELY(room) ? list : make_room(message, offset, type);
}
