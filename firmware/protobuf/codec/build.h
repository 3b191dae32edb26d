/* New messages in the fixed arena. */
#ifndef HW_PROTOBUF_CODEC_BUILD_H
#define HW_PROTOBUF_CODEC_BUILD_H

#include "protobuf/codec/decoder.h"
#include "runtime/descriptor.h"

/* Makes the memory at `reference`, which ends at a multiple of the objects' alignment, a message of `type`, all fields absent. */
void init_message(hw_ref reference, const struct hw_type *type);

/* A new one; 0: no room. */
hw_ref new_message(struct decoder *decoder, const struct hw_type *type);

#endif
