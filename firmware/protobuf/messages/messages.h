/* The header that generated accessors include (docs/reference/accessors.md): what a program does with whole messages in
 * the managed heap. Generated functions call these with the info of their type.
 *
 * A call that fails raises an error (runtime/error.h). Input and output lie outside the heap. Reading is a safepoint.
 * Software does what the unit cannot, with the same result; hw_message_fallbacks counts it.
 */
#ifndef HW_PROTOBUF_MESSAGES_MESSAGES_H
#define HW_PROTOBUF_MESSAGES_MESSAGES_H

#include "protobuf/messages/delimited.h"
#include "protobuf/messages/start.h"
#include "runtime/accessors/accessors.h"
#include "runtime/accessors/names.h"

extern uint32_t hw_message_fallbacks;

/* Returns a message that was read from `length` bytes of the wire; NULL with an error, which has the offset of what is
 * wrong in the input. */
hw_handle hw_message_read(const struct hw_message_info *info, const void *input, uint32_t length);

/* Writes a message to the start of `output`. Returns its bytes; 0 with an error, such as HW_STATUS_OUTPUT_FULL, and
 * for a message without any field. */
uint32_t hw_message_write(hw_handle message, const struct hw_message_info *info, void *output, uint32_t size);

/* Writes a message to the end of the room, where the unit leaves it, and stores where it lies: without the move to the
 * start. Returns false with an error. */
bool hw_message_write_to_end(hw_handle message, const struct hw_message_info *info, void *output, uint32_t size,
                             struct hw_bytes *written);

/* hw_message_write with the message's length in front of it, as a stream of messages has it. Not 0 without an error. */
uint32_t hw_message_write_delimited(hw_handle message, const struct hw_message_info *info, void *output, uint32_t size);

/* Returns the next message of a stream; NULL if it is not whole yet, or with an error. */
hw_handle hw_message_read_next(const struct hw_message_info *info, struct hw_delimited *stream);

#endif
