/* Making byte strings in the fixed arena. */
#ifndef HW_PROTOBUF_CODEC_STRING_H
#define HW_PROTOBUF_CODEC_STRING_H

#include "protobuf/codec/decoder.h"

/* Copies the `length` bytes at `at` into a new byte string for `slot`. Errors, in this order: the bytes must be UTF-8
 * (`text`) and are not; there is no room. */
const uint8_t *protobuf_read_string(struct decoder *decoder, hw_ref *slot, const uint8_t *origin, const uint8_t *at,
                                    uint32_t length, bool text);

#endif
