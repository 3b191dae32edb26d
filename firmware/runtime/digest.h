/* A digest of a message's value. It is the same for every layout of the message's objects and easy to compute elsewhere
 * (docs/reference/firmware_build.md, "Digest"). */
#ifndef HW_RUNTIME_DIGEST_H
#define HW_RUNTIME_DIGEST_H

#include "runtime/message.h"

uint32_t hw_digest(const struct hw_message *message, const struct hw_type *type);

#endif
