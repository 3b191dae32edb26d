/* Building messages; what generated setters are made of.
 *
 * A function that allocates is a safepoint. One that answers false or NULL has
 * raised an exception and left the message as it was; that includes a change of
 * NULL (HW_NULL_MESSAGE, unless an exception is there already), so that a sequence
 * can be checked once. Handles that are made on the way are dropped again.
 *
 * What is built equals what the deserializers build from the same message: a
 * hasbit for every singular field that is set (implicit ones: set to anything but
 * zero or empty), null and zero slots for all others, memoized values unset.
 */
#ifndef HW_RUNTIME_ACCESSORS_BUILD_H
#define HW_RUNTIME_ACCESSORS_BUILD_H

#include "runtime/accessors/info.h"
#include "runtime/accessors/list.h"

/* A message without any field. */
hw_handle hw_message_new(const struct hw_message_info *info);

/* Singular fields; `index` is that in info->fields. Setting a member of a oneof clears the others. */
bool hw_message_set(hw_handle message, const struct hw_message_info *info, uint32_t index, uint64_t bits);
bool hw_message_set_message(hw_handle message, const struct hw_message_info *info, uint32_t index, hw_handle value);

/* `data` must lie outside the heap: the copy is made after an allocation. UTF-8 is not checked. */
bool hw_message_set_bytes(hw_handle message, const struct hw_message_info *info, uint32_t index, const void *data,
                          uint32_t length);

/* The submessage, a new one if there is none. */
hw_handle hw_message_mutable(hw_handle message, const struct hw_message_info *info, uint32_t index);

/* Makes a field absent, singular or repeated. */
bool hw_message_clear(hw_handle message, const struct hw_message_info *info, uint32_t index);

/* Repeated fields. */
bool hw_message_add(hw_handle message, const struct hw_message_info *info, uint32_t index, uint64_t bits);
bool hw_message_add_bytes(hw_handle message, const struct hw_message_info *info, uint32_t index, const void *data,
                          uint32_t length);
hw_handle hw_message_add_message(hw_handle message, const struct hw_message_info *info, uint32_t index);

/* Adds a message that is there already. */
bool hw_message_add_element(hw_handle message, const struct hw_message_info *info, uint32_t index, hw_handle element);

/* Element `at` of a repeated field; HW_OUT_OF_BOUNDS beyond the count. */
bool hw_message_set_at(hw_handle message, const struct hw_message_info *info, uint32_t index, uint32_t at, uint64_t bits);
bool hw_message_set_bytes_at(hw_handle message, const struct hw_message_info *info, uint32_t index, uint32_t at,
                             const void *data, uint32_t length);
hw_handle hw_message_mutable_at(hw_handle message, const struct hw_message_info *info, uint32_t index, uint32_t at);

#endif
