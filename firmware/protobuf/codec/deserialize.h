/* The codec's reader, which does what the protobuf deserializer unit does (engine `table`): same descriptor tables,
 * same objects, same status codes and offsets.
 *
 * The graphs are equal but for the spare capacity of list arrays and the hasbits of lists, which the codec does not
 * set. The codec also parses what the unit leaves to software (UNSUPPORTED). If a message lacks one of its required
 * fields and nothing later in the input brings it, the codec returns MISSING_REQUIRED, at the end of the input; the
 * driver asks the codec when the unit returns that status. The codec is written for speed, too, because the unit is
 * measured against it.
 */
#ifndef HW_PROTOBUF_CODEC_DESERIALIZE_H
#define HW_PROTOBUF_CODEC_DESERIALIZE_H

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

#endif
