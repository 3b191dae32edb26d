/* The software twin of the protobuf deserializer unit (engine `table`): same
 * descriptor tables, same objects, same status codes and offsets.
 *
 * Graphs are equal but for the spare capacity of list arrays and the hasbits of lists, which are not set here. What
 * the unit leaves to software (UNSUPPORTED) is done here. A message without one of its required fields ends the command with
 * MISSING_REQUIRED, at the end of the input, if none came later in it: the driver asks the twin when the unit says
 * so. Written for speed too: it is the software that the unit is measured against.
 */
#ifndef HW_PROTOBUF_CODEC_DESERIALIZE_H
#define HW_PROTOBUF_CODEC_DESERIALIZE_H

#include "runtime/arena.h"
#include "runtime/descriptor.h"

/* Messages and groups open within the root at most, as in the unit and the official library. */
#define HW_TABLE_MAX_DEPTH 100

/* Stack that a message or group takes, at most. */
#define HW_TABLE_READ_STACK 208

struct hw_table_result {
    int status;      /* HW_STATUS_* */
    uint32_t offset; /* input offset of the offending key or value */
    hw_ref root;     /* 0 on an error */
};

/* Parses `length` bytes at `input` into a new object of `type` in `heap`. On an error the tops of the arenas are as they were.
 * At most `max_depth` messages and groups are open within the root (0: as many as the unit allows), and no more than the
 * thread's stack has room for: DEPTH_EXCEEDED. An input that passes the end of the address space is OUT_OF_BOUNDS, at 0. Class
 * words come from hw_registers. */
struct hw_table_result hw_table_deserialize(const struct hw_type *type, const void *input, uint32_t length,
                                            uint32_t max_depth, struct hw_arenas *heap);

#endif
