#include "runtime/handle.h"

struct hw_handle_slot hw_globals[HW_GLOBAL_HANDLES];

hw_handle hw_global_new(hw_handle handle)
{
    for (uint32_t i = 0; i < HW_GLOBAL_HANDLES; i++)
        if (hw_globals[i].reference == 0) {
            hw_globals[i].reference = handle->reference;
            return &hw_globals[i];
        }
    return NULL;
}

void hw_global_drop(hw_handle handle)
{
    if (handle)
        handle->reference = 0;
}
