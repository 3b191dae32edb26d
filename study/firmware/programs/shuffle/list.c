#include "programs/shuffle/list.h"

#define FIRST_ROOM 16u

static void copy(hw_handle from, hw_handle to, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        hw_scope scope = hw_scope_open();

        hw_set_element(to, i, hw_get_element(from, i));
        hw_scope_close(scope);
    }
}

bool list_append(hw_handle list, hw_handle record) {
    uint32_t size = list_size(list);
    hw_handle elements = hw_get(list, HW_CLASS_ArrayList_elementData);

    if (!elements || size == hw_array_length(elements->reference)) {
        hw_handle longer = hw_new_array(HW_CLASS_Object_array, elements ? 2 * size : FIRST_ROOM);

        if (!longer) return false;
        if (elements) copy(elements, longer, size);
        hw_set(list, HW_CLASS_ArrayList_elementData, longer);
        elements = longer;
    }
    hw_set_element(elements, size, record);
    FIELD(list, uint32_t, ArrayList_size) = size + 1;
    return true;
}

hw_handle list_take(hw_handle list, const struct hw_klass *array) {
    uint32_t size = list_size(list);
    hw_handle taken = hw_new_array(array, size);

    if (!taken || size == 0) return taken;
    copy(hw_get(list, HW_CLASS_ArrayList_elementData), taken, size);
    hw_set(list, HW_CLASS_ArrayList_elementData, NULL);
    FIELD(list, uint32_t, ArrayList_size) = 0;
    return taken;
}
