/* Equality and hash codes of messages, with the semantics of protobuf for Java.
 *
 * Two messages of one type are equal if the same fields are present (fields with implicit presence: have the same
 * values) and their values are equal. Strings and bytes compare by content. Floats compare by their bits, but all NaNs
 * are equal; 0.0 differs from -0.0. Repeated fields compare element by element, maps as sets of the entries that count,
 * unknown fields by their bytes. Equal messages have equal hash codes. NULL is a message without any field.
 *
 * Messages that nest deeper than HW_MESSAGE_MAX_DEPTH, or than the thread's stack has room for, raise HW_TOO_DEEP.
 * Neither function is a safepoint: both walk raw references.
 */
#ifndef HW_RUNTIME_ACCESSORS_COMPARE_H
#define HW_RUNTIME_ACCESSORS_COMPARE_H

#include "runtime/accessors/info.h"

/* Returns whether the messages are equal; false with HW_TOO_DEEP. */
bool hw_message_equals(hw_handle a, hw_handle b, const struct hw_message_info *info);

/* Returns the hash code; 0 with HW_TOO_DEEP. Stores the hashes of byte strings in them. */
int32_t hw_message_hash_code(hw_handle message, const struct hw_message_info *info);

#endif
