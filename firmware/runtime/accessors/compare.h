/* Equality and hash of messages, with the semantics of protobuf for Java.
 *
 * Equal are messages of one type with the same fields present (implicit ones: the
 * same values), strings and bytes by content, floats by their bits, all NaNs
 * being one and 0.0 not -0.0; repeated fields element by element; maps as sets of
 * the entries that count; unknown fields by their bytes. Equal messages have equal hashes. NULL is a message without any field.
 *
 * Messages that nest deeper than HW_MESSAGE_MAX_DEPTH raise HW_TOO_DEEP. No
 * safepoint: both walk raw references.
 */
#ifndef HW_RUNTIME_ACCESSORS_COMPARE_H
#define HW_RUNTIME_ACCESSORS_COMPARE_H

#include "runtime/accessors/info.h"

/* False with HW_TOO_DEEP. */
bool hw_message_equals(hw_handle a, hw_handle b, const struct hw_message_info *info);

/* 0 with HW_TOO_DEEP. The hashes of byte strings are kept in them. */
int32_t hw_message_hash_code(hw_handle message, const struct hw_message_info *info);

#endif
