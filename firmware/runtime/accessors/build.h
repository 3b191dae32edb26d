/* Building messages: the functions that generated setters call.
 *
 * A function that allocates is a safepoint. A function that returns false or NULL has raised an error and left the
 * message as it was. A change of a NULL message is such an error (HW_STATUS_NULL_MESSAGE, unless an error is already
 * set), so a sequence of calls can be checked once. Handles made on the way are dropped again.
 *
 * The objects equal those that the deserializers build from the same message: a hasbit for every singular field that is
 * set (a field with implicit presence: set to a value other than zero or empty), null and zero in all other slots,
 * memoized values unset.
 */
#ifndef HW_RUNTIME_ACCESSORS_BUILD_H
#define HW_RUNTIME_ACCESSORS_BUILD_H

#include "runtime/accessors/list.h"

/* Returns a new message without any field. */
hw_handle hw_message_new(const struct hw_message_info *info);

/* Set singular fields. `index` counts in info->fields. Setting a member of a oneof clears the others. */
bool hw_message_set(hw_handle message, const struct hw_message_info *info, uint32_t index, uint64_t bits);
bool hw_message_set_message(hw_handle message, const struct hw_message_info *info, uint32_t index, hw_handle value);

/* Sets a string or bytes field. `data` must lie outside the heap, because the function allocates before it copies.
 * UTF-8 is not checked. */
bool hw_message_set_bytes(hw_handle message, const struct hw_message_info *info, uint32_t index, const void *data,
                          uint32_t length);

/* Returns the submessage, a new one if there is none. */
hw_handle hw_message_mutable(hw_handle message, const struct hw_message_info *info, uint32_t index);

/* Makes a singular or repeated field absent. */
bool hw_message_clear(hw_handle message, const struct hw_message_info *info, uint32_t index);

/* Append to repeated fields. */
bool hw_message_add(hw_handle message, const struct hw_message_info *info, uint32_t index, uint64_t bits);
bool hw_message_add_bytes(hw_handle message, const struct hw_message_info *info, uint32_t index, const void *data,
                          uint32_t length);
hw_handle hw_message_add_message(hw_handle message, const struct hw_message_info *info, uint32_t index);

/* Appends an existing message; raises HW_STATUS_NULL_MESSAGE if it is NULL, HW_STATUS_OTHER_MEMORY if it lies in
 * another memory (arenas.h). So does hw_message_set_message. */
bool hw_message_add_element(hw_handle message, const struct hw_message_info *info, uint32_t index, hw_handle element);

/* Change element `at` of a repeated field. HW_STATUS_NO_ELEMENT if `at` is not below the count. */
bool hw_message_set_at(hw_handle message, const struct hw_message_info *info, uint32_t index, uint32_t at,
                       uint64_t bits);
bool hw_message_set_bytes_at(hw_handle message, const struct hw_message_info *info, uint32_t index, uint32_t at,
                             const void *data, uint32_t length);
hw_handle hw_message_mutable_at(hw_handle message, const struct hw_message_info *info, uint32_t index, uint32_t at);

/* Removes element `at`. */
bool hw_message_remove_at(hw_handle message, const struct hw_message_info *info, uint32_t index, uint32_t at);

/* Return whether an element may be inserted in front of element `at`, or at the end; and make the last element, which
 * was just added, element `at`. The latter returns true. */
bool hw_message_may_insert(hw_handle message, const struct hw_message_info *info, uint32_t index, uint32_t at);
bool hw_message_bring_to(hw_handle message, const struct hw_message_info *info, uint32_t index, uint32_t at);

static inline bool hw_message_insert(hw_handle message, const struct hw_message_info *info, uint32_t index, uint32_t at,
                                     uint64_t bits) {
    return hw_message_may_insert(message, info, index, at) && hw_message_add(message, info, index, bits) &&
           hw_message_bring_to(message, info, index, at);
}

static inline bool hw_message_insert_bytes(hw_handle message, const struct hw_message_info *info, uint32_t index,
                                           uint32_t at, const void *data, uint32_t length) {
    return hw_message_may_insert(message, info, index, at) &&
           hw_message_add_bytes(message, info, index, data, length) && hw_message_bring_to(message, info, index, at);
}

static inline hw_handle hw_message_insert_message(hw_handle message, const struct hw_message_info *info, uint32_t index,
                                                  uint32_t at) {
    hw_handle made =
        hw_message_may_insert(message, info, index, at) ? hw_message_add_message(message, info, index) : NULL;

    if (made) hw_message_bring_to(message, info, index, at);
    return made;
}

/* Returns the length of a C string, which is 0 for NULL. */
static inline uint32_t hw_text_length(const char *text) { return text ? (uint32_t)__builtin_strlen(text) : 0; }

/* For the other files of this folder and for setters. */

/* Returns whether `message` is not NULL; raises HW_STATUS_NULL_MESSAGE if it is. */
static inline bool hw_object_there(hw_handle message) {
    if (__builtin_expect(!message, 0)) hw_error_raise(HW_STATUS_NULL_MESSAGE);
    return message != NULL;
}

/* Resets the memoized values of a message. */
static inline void hw_object_forget(hw_ref message, const struct hw_message_info *info) {
    *(int32_t *)hw_pointer(message + info->memoized_size) = HW_OBJECT_MEMO_UNSET;
    *(int32_t *)hw_pointer(message + info->memoized_is_initialized) = HW_OBJECT_MEMO_UNSET;
}

/* hw_object_forget, if the message is there. Returns false as hw_object_there does. */
bool hw_object_change(hw_handle message, const struct hw_message_info *info);

/* Returns a new byte string, without a handle: a copy of `length` bytes at `data`, which lie outside the heap. Returns
 * 0 with an error. The caller stores the reference before the next safepoint. */
hw_ref hw_object_new_bytes(const void *data, uint32_t length);

/* The same, for a message to refer to; and a new message for it. */
hw_ref hw_object_bytes_beside(hw_handle message, const void *data, uint32_t length);
hw_handle hw_object_message_beside(hw_handle message, const struct hw_message_info *info);

#endif
