/* A message's unknown fields, and its required ones. */
#ifndef HW_RUNTIME_ACCESSORS_UNKNOWN_H
#define HW_RUNTIME_ACCESSORS_UNKNOWN_H

#include "runtime/accessors/info.h"
#include "runtime/message.h"

/* The unknown fields as they were on the wire; valid until the next safepoint. */
struct hw_bytes hw_message_unknown_fields(hw_handle message, const struct hw_message_info *info);

/* `data`, outside the heap, becomes the unknown fields: whole fields, which nothing checks. None if `length` is 0. A
 * safepoint; false with an exception, the message as it was. */
bool hw_message_set_unknown_fields(hw_handle message, const struct hw_message_info *info, const void *data, uint32_t length);

/* Whether the message and all that it reaches have their required fields; false with HW_TOO_DEEP. No safepoint. */
bool hw_message_is_initialized(hw_handle message, const struct hw_message_info *info);

#endif
