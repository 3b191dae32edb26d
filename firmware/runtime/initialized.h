/* Checks of required fields. */
#ifndef HW_RUNTIME_INITIALIZED_H
#define HW_RUNTIME_INITIALIZED_H

#include "runtime/message.h"

/* Returns whether a message has its own required fields. Submessages are not checked. */
bool hw_message_has_required(const void *message, const struct hw_type *type);

/* Returns whether a message and every message that it reaches have their required fields. Of map entries with equal
 * keys only the last one counts. Returns false if more than `depth` messages nest within `message`. No object may be
 * referenced twice, and every mark word must be the prototype. Both hold for messages that have just been read and that
 * nothing else knows yet. */
bool hw_message_initialized(struct hw_message *message, const struct hw_type *type, uint32_t depth);

#endif
