/* Functions that building singular fields and repeated fields share. */
#ifndef HW_RUNTIME_ACCESSORS_BUILD_OBJECT_H
#define HW_RUNTIME_ACCESSORS_BUILD_OBJECT_H

#include "runtime/accessors/info.h"

/* Returns whether `message` is not NULL; raises HW_NULL_MESSAGE if it is. */
bool hw_object_there(hw_handle message);

/* Prepares a change of the message: resets its memoized values. Returns false as hw_object_there does. */
bool hw_object_change(hw_handle message, const struct hw_message_info *info);

/* Returns a byte string with a copy of `length` bytes at `data`, which lie outside the heap. */
hw_handle hw_object_new_bytes(const void *data, uint32_t length);

#endif
