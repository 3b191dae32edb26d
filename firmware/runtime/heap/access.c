#include "runtime/heap/card.h"
#include "runtime/heap/heap.h"
#include "runtime/heap/object.h"

static hw_ref *slot_at(hw_handle object, uint32_t offset) { return hw_pointer(object->reference + offset); }

static hw_ref *element_at(hw_handle array, uint32_t index) {
    return slot_at(array, hw_klass_elements(hw_klass_of(hw_handle_object(array))) + index * sizeof(hw_ref));
}

static hw_handle held(hw_ref reference) {
    hw_handle handle = reference ? hw_handle_new(reference) : NULL;

    if (reference && !handle) hw_exception_raise(HW_OUT_OF_HANDLES);
    return handle;
}

hw_handle hw_get(hw_handle object, uint32_t offset) { return held(*slot_at(object, offset)); }

void hw_set(hw_handle object, uint32_t offset, hw_handle value) {
    hw_write(slot_at(object, offset), value ? value->reference : 0);
}

hw_handle hw_get_element(hw_handle array, uint32_t index) { return held(*element_at(array, index)); }

void hw_set_element(hw_handle array, uint32_t index, hw_handle value) {
    hw_write(element_at(array, index), value ? value->reference : 0);
}
