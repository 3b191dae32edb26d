#include "runtime/thread.h"

struct hw_handle_slot hw_globals[HW_GLOBAL_HANDLES];

hw_handle hw_global_new(hw_handle handle) {
    hw_handle global = NULL;

    hw_critical_enter();
    for (uint32_t i = 0; i < HW_GLOBAL_HANDLES && !global; i++)
        if (hw_globals[i].reference == 0) {
            global = &hw_globals[i];
            global->reference = handle->reference;
        }
    hw_critical_leave();
    return global;
}

hw_handle hw_handle_refuse(void) {
    hw_exception_raise(HW_OUT_OF_HANDLES);
    return NULL;
}

void hw_global_drop(hw_handle handle) {
    if (handle) handle->reference = 0;
}
