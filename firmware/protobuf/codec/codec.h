/* The codec's reader, which does what the protobuf deserializer unit does (engine `table`): same descriptor tables,
 * same objects, same status codes and offsets.
 *
 * The graphs are equal but for the spare capacity of list arrays and the hasbits of lists, which the codec does not
 * set. The codec also parses what the unit leaves to software (UNSUPPORTED). If a message lacks one of its required
 * fields and nothing later in the input brings it, the codec returns MISSING_REQUIRED, at the end of the input; the
 * driver asks the codec when the unit returns that status. The codec is written for speed, too, because the unit is
 * measured against it.
 */
#ifndef HW_PROTOBUF_CODEC_CODEC_H
#define HW_PROTOBUF_CODEC_CODEC_H

#include "runtime/arena.h"
#include "runtime/descriptor.h"
#include "units/status.h"

/* Most messages and groups open within the root, as in the unit and the official library. */
#define HW_PROTOBUF_CODEC_MAX_DEPTH 100

/* Most bytes of stack that one level of messages or groups takes. */
#define HW_PROTOBUF_CODEC_READ_STACK 208

struct hw_protobuf_codec_object {
    hw_status status; /* HW_STATUS_* */
    uint32_t offset;  /* input offset of the offending key or value */
    hw_ref root;      /* 0 on an error */
};

/* Parses `length` bytes at `input` into a new object of `type` in `heap`. On an error the tops of the arenas do not
 * change. At most `max_depth` messages and groups may be open within the root (0: as many as the unit allows), and no
 * more than fit on the thread's stack: DEPTH_EXCEEDED. An input that wraps around the address space is OUT_OF_BOUNDS,
 * at 0. Class words come from hw_registers. */
struct hw_protobuf_codec_object hw_protobuf_codec_read(const struct hw_type *type, const void *input, uint32_t length,
                                                       uint32_t max_depth, struct hw_arenas *arenas);

/* The codec's writer, which does what the protobuf serializer unit does (engine `table`): same descriptor tables, same
 * bytes, same status codes. It serializes what the unit leaves to software, and the unit is measured against it.
 *
 * The output is deterministic: fields by ascending number, lists in their order, then the unknown fields unchanged. The
 * codec writes from the end of the output to its start, so that it knows a length before it writes it.
 */

/* Most bytes of stack that one level of messages or groups takes. */
#define HW_PROTOBUF_CODEC_WRITE_STACK 160

struct hw_protobuf_codec_bytes {
    hw_status status; /* HW_STATUS_* */
    uint8_t *start;   /* of the message, which ends at the end of the output; NULL on an error */
    uint32_t length;  /* 0 on an error */
    /* On an error, the object at fault: the message that is too deep or lacks a field; the byte string that is not
     * UTF-8; the target of a bad reference; the string or list whose array is bad or has a null element. 0: the output
     * is full. */
    hw_ref at;
};

/* Writes the message at `object`, of `type`, to the end of the `size` bytes at `output`. At most `max_depth` messages
 * may be open within the root (0: as many as the unit allows), and no more than fit on the thread's stack:
 * DEPTH_EXCEEDED. An output that wraps around the address space is OUT_OF_BOUNDS. Objects are read only within [bound,
 * limit), and not changed. Nothing outside the output is written; on an error its contents are undefined. */
struct hw_protobuf_codec_bytes hw_protobuf_codec_write(const struct hw_type *type, hw_ref object, uint32_t max_depth,
                                                       uint8_t *output, uint32_t size, uint32_t bound, uint32_t limit);

#endif
