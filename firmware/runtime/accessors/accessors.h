/* The header that generated accessors include (docs/reference/accessors.md). */
#ifndef HW_RUNTIME_ACCESSORS_ACCESSORS_H
#define HW_RUNTIME_ACCESSORS_ACCESSORS_H

#include "runtime/accessors/arenas.h"
#include "runtime/accessors/compare.h"
#include "runtime/accessors/put.h"
#include "runtime/accessors/write.h"
#include "runtime/message.h"

/* Unknown fields of a message, and the check of its required fields. */

/* Returns the unknown fields as they were on the wire. Valid until the next safepoint. */
struct hw_bytes hw_message_unknown_fields(hw_handle message, const struct hw_message_info *info);

/* Makes `data` the message's unknown fields. `data` lies outside the heap and must be whole fields, which is not
 * checked. If `length` is 0, the message has none. A safepoint. Returns false with an error and leaves the message
 * as it was. */
bool hw_message_set_unknown_fields(hw_handle message, const struct hw_message_info *info, const void *data,
                                   uint32_t length);

/* Puts the unknown fields of `from` behind those of the message. A safepoint. Returns false with an error. */
bool hw_message_add_unknown_fields(hw_handle message, const struct hw_message_info *info, hw_handle from);

/* Returns whether the message and all messages that it reaches have their required fields; false with
 * HW_STATUS_DEPTH_EXCEEDED. No safepoint. */
bool hw_message_is_initialized(hw_handle message, const struct hw_message_info *info);

/* Equality and hash codes of messages, with the semantics of protobuf for Java.
 *
 * Two messages of one type are equal if the same fields are present (fields with implicit presence: have the same
 * values) and their values are equal. Strings and bytes compare by content. Floats compare by their bits, but all NaNs
 * are equal; 0.0 differs from -0.0. Repeated fields compare element by element, maps as sets of the entries that count,
 * unknown fields by their bytes. Equal messages have equal hash codes. NULL is a message without any field.
 *
 * Messages that nest deeper than HW_MESSAGE_MAX_DEPTH, or than the thread's stack has room for, raise
 * HW_STATUS_DEPTH_EXCEEDED. Neither function is a safepoint: both walk raw references.
 */

/* Returns whether the messages are equal; false with HW_STATUS_DEPTH_EXCEEDED. `same` is that of their type. */
bool hw_message_equals(hw_handle a, hw_handle b, hw_same *same);

/* Returns the hash code; 0 with HW_STATUS_DEPTH_EXCEEDED. `hash` is that of the type. Stores the hashes of byte strings
 * in them. */
int32_t hw_message_hash_code(hw_handle message, hw_hash *hash);

/* Whole messages. hw_message_merge and hw_message_clone are safepoints. */

/* Makes every field absent, the unknown ones too. */
bool hw_message_clear_all(hw_handle message, const struct hw_message_info *info);

/* Merges the fields of `from` as protobuf does: what is set there replaces, submessages are merged, lists, maps and
 * unknown fields are appended. `to` has its own copy of everything. With an error, such as HW_STATUS_DEPTH_EXCEEDED, it
 * has a part of it. A NULL `from` has no field. */
bool hw_message_merge(hw_handle to, hw_handle from, const struct hw_message_info *info);

/* Returns a copy that shares nothing that can change; NULL with an error. A message in an arena is copied into the
 * heap. The copy of NULL is an empty message. */
hw_handle hw_message_clone(hw_handle message, const struct hw_message_info *info);

#endif
