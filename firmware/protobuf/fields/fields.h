/* Protocol Buffers field by field: software walks the message by its descriptor table, and the unit writes and parses
 * the fields (docs/reference/units/protobuf_fields.md).
 *
 * The calls have the signatures and the results of the software codec (protobuf/codec). The codec completes calls that
 * a sequence of instructions cannot; `hw_fields_fallbacks` counts them. A sequence that was broken by another is first
 * tried again. The codec also handles what software must look at itself: unknown fields, closed enums and all errors of
 * deserialization.
 *
 * A call is no safepoint.
 */
#ifndef HW_PROTOBUF_FIELDS_FIELDS_H
#define HW_PROTOBUF_FIELDS_FIELDS_H

#include "protobuf/codec/codec.h"
#include "protobuf/fields/instructions.h"

/* Most bytes of stack that one level of messages or groups takes. If the stack is too small for the levels, the codec
 * rejects the message. */
#define HW_FIELDS_STACK 192

/* Number of calls that the software codec completed, and of sequences that were broken. */
extern uint32_t hw_fields_fallbacks, hw_fields_broken;

/* hw_protobuf_codec_write by the unit. */
struct hw_protobuf_codec_bytes hw_fields_write(const struct hw_type *type, hw_ref object, uint32_t max_depth,
                                               uint8_t *output, uint32_t size, uint32_t bound, uint32_t limit);

/* hw_protobuf_codec_read by the unit. */
struct hw_protobuf_codec_object hw_fields_read(const struct hw_type *type, const void *input, uint32_t length,
                                               uint32_t max_depth, struct hw_arenas *arenas);

#endif
