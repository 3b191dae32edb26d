/* Making new messages in the fixed arena. */
#ifndef HW_PROTOBUF_CODEC_BUILD_H
#define HW_PROTOBUF_CODEC_BUILD_H

#include "protobuf/codec/decoder.h"
#include "runtime/descriptor.h"

/* Makes the memory at `reference`, whose end is aligned as objects are, a message of `type` with all fields absent. */
void protobuf_init_message(hw_ref reference, const struct hw_type *type);

/* Returns a new message; 0 if there is no room. */
hw_ref protobuf_new_message(struct decoder *decoder, const struct hw_type *type);

#endif
