/* What building singular and repeated fields share. */
#ifndef HW_RUNTIME_ACCESSORS_BUILD_OBJECT_H
#define HW_RUNTIME_ACCESSORS_BUILD_OBJECT_H

#include "runtime/accessors/info.h"

/* False with HW_NULL_MESSAGE for NULL. */
bool hw_object_there(hw_handle message);

/* The message is about to change: forgets what was memoized of it. False as hw_object_there. */
bool hw_object_change(hw_handle message, const struct hw_message_info *info);

/* A byte string with a copy of `length` bytes at `data`, outside the heap. */
hw_handle hw_object_new_bytes(const void *data, uint32_t length);

#endif
