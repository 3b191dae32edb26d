/* Commands of the protobuf units on nanopb's structs. Only for the driver's own files. */
#ifndef HW_PROTOBUF_NANOPB_UNIT_H
#define HW_PROTOBUF_NANOPB_UNIT_H

#include <stdint.h>

#include "protobuf/protobuf.h"
#include "runtime/arena.h"
#include "runtime/compiler.h"
#include "runtime/descriptor.h"
#include "units/command.h"
#include "units/status.h"

/* A status beside HW_STATUS_*: no unit accepts native tables. */
#define HW_NANOPB_NO_UNIT 0x100

/* Submit a command once, if there is a unit. Return its tag, or HW_SUBMIT_*. */
ALWAYS_INLINE int32_t hw_nanopb_submit_decode(const struct hw_type *type, void *message, const void *input,
                                              uint32_t length, uint32_t top, uint32_t limit) {
    hw_ref root = hw_reference(message);

    return hw_command_start(HW_OP_PROTOBUF_DESERIALIZE, hw_reference(input), length, hw_reference(type), 0, root,
                            root + HW_GET(type, ADT_OBJECT_SIZE), top, limit);
}

ALWAYS_INLINE int32_t hw_nanopb_submit_encode(const struct hw_type *type, const void *message, void *output,
                                              uint32_t room) {
    hw_ref first = hw_reference(output);

    return hw_command_start(HW_OP_PROTOBUF_SERIALIZE, hw_reference(message), hw_reference(type), 0, first, first + room,
                            0, UINT32_MAX, 0);
}

/* Parses `length` bytes into `message`, which the unit first initializes from its initial records. The targets of its
 * pointers are allocated in [*top, limit); `*top` moves only on success. Returns HW_STATUS_* or HW_NANOPB_NO_UNIT. */
hw_status hw_nanopb_unit_decode(const struct hw_type *type, void *message, const void *input, uint32_t length,
                                uint32_t *top, uint32_t limit);

/* Writes the message to the end of the `room` bytes at `output`. `*start` becomes the address of its first byte. */
hw_status hw_nanopb_unit_encode(const struct hw_type *type, const void *message, void *output, uint32_t room,
                                uint8_t **start);

#endif
