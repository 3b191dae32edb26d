/* The error of a thread. The call that fails returns false, NULL, 0 or a message without a handle, and raises the
 * error. The first error stays until hw_error_clear, whatever is called meanwhile; a call does not ask for it, and
 * works if it can. So a program may make a sequence of calls and look once, at its end. */
#ifndef HW_RUNTIME_ERROR_H
#define HW_RUNTIME_ERROR_H

#include <stdint.h>

#include "units/status.h"

struct hw_error {
    hw_status status;
    uint32_t offset; /* in the input that was read; HW_ERROR_NOWHERE for what has no input */
};

#define HW_ERROR_NOWHERE UINT32_MAX

/* Return the error's status, HW_STATUS_OK if there is none, and where in its input it was found. */
hw_status hw_error_status(void);
uint32_t hw_error_offset(void);

/* Returns the error in words: the status's name, the offset, what it means. The text is valid until the next call. */
const char *hw_error_text(void);

/* Forgets the error. Returns its status. */
hw_status hw_error_clear(void);

/* Raises an error, unless there is one already. hw_error_raise of runtime/thread.h raises one without an offset. */
void hw_error_raise_at(hw_status status, uint32_t offset);

/* Return the name of a status, as in TRUNCATED, and what it means; NULL for a number that is no status. */
const char *hw_status_name(hw_status status);
const char *hw_status_meaning(hw_status status);

#endif
