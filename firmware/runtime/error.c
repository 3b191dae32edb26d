#include "runtime/error.h"

#include "runtime/compiler.h"
#include "runtime/thread.h"

hw_status hw_error_status(void) { return hw_thread->error.status; }

uint32_t hw_error_offset(void) { return hw_thread->error.offset; }

hw_status hw_error_clear(void) {
    hw_status status = hw_thread->error.status;

    hw_thread->error = (struct hw_error){0};
    return status;
}

COLD void hw_error_raise_at(hw_status status, uint32_t offset) {
    if (hw_thread->error.status == HW_STATUS_OK) hw_thread->error = (struct hw_error){status, offset};
}
