/* Required fields of messages. */
#ifndef HW_RUNTIME_INITIALIZED_H
#define HW_RUNTIME_INITIALIZED_H

#include "runtime/message.h"

/* Whether a message has its own required fields. */
bool hw_message_has_required(const void *message, const struct hw_type *type);

/* Whether a message and all that it reaches have theirs; each entry of a map counts. At most `depth` messages
 * nest within it, else false. */
bool hw_message_initialized(const struct hw_message *message, const struct hw_type *type, uint32_t depth);

#endif
