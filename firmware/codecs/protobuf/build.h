/* New objects in the fixed arena. */
#ifndef HW_CODECS_PROTOBUF_BUILD_H
#define HW_CODECS_PROTOBUF_BUILD_H

#include "codecs/protobuf/decoder.h"
#include "runtime/descriptor.h"

/* A message of `type`, all fields absent; 0: no room. */
hw_ref new_message(struct decoder *decoder, const struct hw_type *type);

/* A byte string with the `length` bytes at `from`; 0: no room. */
hw_ref new_byte_string(struct decoder *decoder, const uint8_t *from, uint32_t length);

#endif
