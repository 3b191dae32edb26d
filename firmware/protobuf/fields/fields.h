/* Protocol Buffers field by field, by code that protoc-gen-heapwire makes of a schema (NAME.fields.h and .c): the core
 * walks the message, and the unit handles each field (docs/reference/units/protobuf_fields.md).
 *
 * The calls have the results of the software codec (protobuf/codec), which completes what a sequence of instructions
 * cannot: unknown fields and groups in the input, numbers that a closed enum does not declare, types with more than
 * some 500 presence bits or a dozen oneofs, and every error.
 * `hw_fields_fallbacks` counts this. A sequence that was broken by another is first tried again.
 *
 * If the schema in force lacks the type or lays it out differently, the status is BAD_DESCRIPTOR, and HW_STATUS_NO_TYPE
 * is raised. A call is no safepoint.
 */
#ifndef HW_PROTOBUF_FIELDS_FIELDS_H
#define HW_PROTOBUF_FIELDS_FIELDS_H

#include "protobuf/codec/codec.h"
#include "runtime/accessors/info.h"

/* Most bytes of stack that one level of messages or groups takes. If the stack is too small for the levels, the codec
 * rejects the message. */
#define HW_FIELDS_STACK 256

struct hw_fields_reader;
struct hw_fields_writer;

/* A message type; protoc-gen-heapwire writes one constant for each. */
struct hw_fields_type {
    const struct hw_message_info *info;
    /* Reads the fields from `at` to `end` into `object`, which is new if `fresh`. Returns `end`, or HW_FIELDS_FAILED
     * where software must take over. */
    uint32_t (*read)(struct hw_fields_reader *reader, hw_ref object, bool fresh, uint32_t at, uint32_t end);
    /* Writes the fields of `object`, the highest number first. Returns false where software must take over. */
    bool (*write)(struct hw_fields_writer *writer, hw_ref object);
};

/* Number of calls that the software codec completed, and of sequences that were broken. */
extern uint32_t hw_fields_fallbacks, hw_fields_broken;

/* hw_protobuf_codec_write by the unit. */
struct hw_protobuf_codec_bytes hw_fields_write(const struct hw_fields_type *type, hw_ref object, uint32_t max_depth,
                                               uint8_t *output, uint32_t size, uint32_t bound, uint32_t limit);

/* hw_protobuf_codec_read by the unit. */
struct hw_protobuf_codec_object hw_fields_read(const struct hw_fields_type *type, const void *input, uint32_t length,
                                               uint32_t max_depth, struct hw_arenas *arenas);

#endif
