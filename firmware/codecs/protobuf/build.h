/* New objects in the fixed arena. */
#ifndef HW_CODECS_PROTOBUF_BUILD_H
#define HW_CODECS_PROTOBUF_BUILD_H

#include "codecs/protobuf/decoder.h"
#include "runtime/descriptor.h"

/* Makes the memory at `reference` a message of `type`, all fields absent. */
void init_message(hw_ref reference, const struct hw_type *type);

/* A new one; 0: no room. */
hw_ref new_message(struct decoder *decoder, const struct hw_type *type);

/* A byte string with the `length` bytes at `from`; 0: no room. */
hw_ref new_byte_string(struct decoder *decoder, const uint8_t *from, uint32_t length);

#endif
