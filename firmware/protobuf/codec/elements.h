/* Writing scalars: single ones, and lists of them. */
#ifndef HW_PROTOBUF_CODEC_ELEMENTS_H
#define HW_PROTOBUF_CODEC_ELEMENTS_H

#include "protobuf/codec/encoder.h"
#include "runtime/descriptor.h"

/* Writes the value at `slot`, of type HW_TYPE_*, not a reference. */
bool protobuf_put_scalar(struct encoder *encoder, uint32_t type, const void *slot);

/* Writes `count` consecutive values, the last one first. Each follows `key`; if `key` is 0 they are packed. */
bool protobuf_put_scalars(struct encoder *encoder, uint32_t type, const uint8_t *values, uint32_t count, uint32_t key);

#endif
