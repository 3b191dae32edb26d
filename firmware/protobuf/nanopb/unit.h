/* The protobuf units on nanopb's structs, for the driver's own files. */
#ifndef HW_PROTOBUF_NANOPB_UNIT_H
#define HW_PROTOBUF_NANOPB_UNIT_H

#include <stdint.h>

#include "runtime/arena.h"
#include "runtime/descriptor.h"

/* Beside HW_STATUS_*: there is no unit that takes native tables. */
#define HW_NANOPB_NO_UNIT 0x100

/* Parses `length` bytes into `message`, which is written from its initial records on. What its pointers refer to is taken
 * from [*top, limit), and *top moves on if all went well. HW_STATUS_* or HW_NANOPB_NO_UNIT. */
int hw_nanopb_unit_decode(const struct hw_type *type, void *message, const void *input, uint32_t length, uint32_t *top,
                          uint32_t limit);

/* Writes the message to the end of the `room` bytes at `output`; *start is its first byte. */
int hw_nanopb_unit_encode(const struct hw_type *type, const void *message, void *output, uint32_t room, uint8_t **start);

#endif
