/* Unknown fields of a message, and the check of its required fields. */
#ifndef HW_RUNTIME_ACCESSORS_UNKNOWN_H
#define HW_RUNTIME_ACCESSORS_UNKNOWN_H

#include "runtime/accessors/info.h"
#include "runtime/message.h"

/* Returns the unknown fields as they were on the wire. Valid until the next safepoint. */
struct hw_bytes hw_message_unknown_fields(hw_handle message, const struct hw_message_info *info);

/* Makes `data` the message's unknown fields. `data` lies outside the heap and must be whole fields, which is not
 * checked. If `length` is 0, the message has none. A safepoint. Returns false with an exception and leaves the message
 * as it was. */
bool hw_message_set_unknown_fields(hw_handle message, const struct hw_message_info *info, const void *data,
                                   uint32_t length);

/* Returns whether the message and all messages that it reaches have their required fields; false with HW_TOO_DEEP. No
 * safepoint. */
bool hw_message_is_initialized(hw_handle message, const struct hw_message_info *info);

#endif
