/* Required fields of messages. */
#ifndef HW_RUNTIME_INITIALIZED_H
#define HW_RUNTIME_INITIALIZED_H

#include "runtime/message.h"

/* Whether a message has its own required fields. */
bool hw_message_has_required(const void *message, const struct hw_type *type);

/* Whether a message and all that it reaches have theirs, of a map those that count. At most `depth` messages
 * nest within it, else false. No two references lead to one object, and the marks are the prototype: as they are
 * when messages have just been read, which nothing else knows yet. */
bool hw_message_initialized(struct hw_message *message, const struct hw_type *type, uint32_t depth);

#endif
