#include "runtime/handle.h"

struct hw_handle_table hw_local_handles;

static struct hw_handle_slot globals[HW_GLOBAL_HANDLES]; /* reference 0: free */

hw_handle hw_global_new(hw_handle handle)
{
    for (uint32_t i = 0; i < HW_GLOBAL_HANDLES; i++)
        if (globals[i].reference == 0) {
            globals[i].reference = handle->reference;
            return &globals[i];
        }
    return NULL;
}

void hw_global_drop(hw_handle handle)
{
    if (handle)
        handle->reference = 0;
}
