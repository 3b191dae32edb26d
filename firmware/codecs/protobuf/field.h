/* Messages and their fields. */
#ifndef HW_CODECS_PROTOBUF_FIELD_H
#define HW_CODECS_PROTOBUF_FIELD_H

#include "codecs/protobuf/decoder.h"
#include "runtime/descriptor.h"

/* The fields from `at` into the message or group that `slot` refers to, a new one of `type` if it is null, up to `end`, or to
 * the end of `group` if that is not 0. The field that has the message has its key at `origin`. It reads itself what most
 * fields are. `depth` messages may be open, this one included. */
const uint8_t *read_message(struct decoder *decoder, const struct hw_type *type, hw_ref *slot, uint32_t group,
                            const uint8_t *origin, const uint8_t *at, const uint8_t *end, uint32_t depth);

/* Any field, or an unknown one (NULL), whose key has been read. */
const uint8_t *read_field(struct decoder *decoder, const struct hw_type *type, const struct hw_field *field, char *object,
                          uint32_t key, const uint8_t *origin, const uint8_t *at, const uint8_t *end, uint32_t depth);

#endif
