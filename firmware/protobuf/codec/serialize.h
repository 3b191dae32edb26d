/* The software twin of the protobuf serializer unit (engine `table`): same descriptor tables, same bytes, same status
 * codes. It answers for what the unit leaves to software, and it is the software that the unit is measured against.
 *
 * Deterministic: fields by ascending number, a list in its order, then the unknown fields as they are. It writes from
 * the output's end to its start, so that a length is known when its place comes.
 */
#ifndef HW_PROTOBUF_CODEC_SERIALIZE_H
#define HW_PROTOBUF_CODEC_SERIALIZE_H

#include "runtime/descriptor.h"

/* Stack that a message or group takes, at most. */
#define HW_TABLE_WRITE_STACK 160

struct hw_table_output {
    int status;      /* HW_STATUS_* */
    uint8_t *start;  /* of the message, which ends where the output ends; NULL on an error */
    uint32_t length; /* 0 on an error */
    /* On an error the object at fault: the message that is too deep or lacks a field; the byte string that is not UTF-8;
     * what a bad reference refers to, or the string or list whose array is bad or whose element is null. 0: the output is full. */
    hw_ref at;
};

/* Writes the message at `object`, of `type`, to the end of the `size` bytes at `output`. At most `max_depth` messages
 * are open within the root (0: as many as the unit allows), and no more than the thread's stack has room for: DEPTH_EXCEEDED.
 * An output that passes the end of the address space is OUT_OF_BOUNDS. Objects are read within [bound, limit) and not changed;
 * nothing outside the output is written, and on an error what is in it is undefined. */
struct hw_table_output hw_table_serialize(const struct hw_type *type, hw_ref object, uint32_t max_depth, uint8_t *output,
                                          uint32_t size, uint32_t bound, uint32_t limit);

#endif
