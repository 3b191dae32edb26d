/* Scalars on the wire: singular ones, and lists of them. */
#ifndef HW_PROTOBUF_CODEC_ELEMENTS_H
#define HW_PROTOBUF_CODEC_ELEMENTS_H

#include "protobuf/codec/encoder.h"
#include "runtime/descriptor.h"

/* The value at `slot`, of type HW_TYPE_*, not a reference. */
bool put_scalar(struct encoder *encoder, uint32_t type, const void *slot);

/* `count` values one after the other, the last one first: each behind `key`, or packed, behind none, if that is 0. */
bool put_scalars(struct encoder *encoder, uint32_t type, const uint8_t *values, uint32_t count, uint32_t key);

#endif
