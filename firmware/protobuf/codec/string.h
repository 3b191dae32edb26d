/* New byte strings in the fixed arena. */
#ifndef HW_PROTOBUF_CODEC_STRING_H
#define HW_PROTOBUF_CODEC_STRING_H

#include "protobuf/codec/decoder.h"

/* The `length` bytes at `at` into a byte string of `slot`. They are an error if they are to be UTF-8 (`text`) and are not,
 * or if there is no room, in this order. */
const uint8_t *read_string(struct decoder *decoder, hw_ref *slot, const uint8_t *origin, const uint8_t *at, uint32_t length,
                           bool text);

#endif
