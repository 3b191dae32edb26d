/* registerUpdate: fields that get a new value when an object has arrived (docs/reference/skyway.md, "Updates"). */
#ifndef HW_SKYWAY_RECEIVER_UPDATE_H
#define HW_SKYWAY_RECEIVER_UPDATE_H

#include <stdbool.h>

#include "runtime/handle.h"
#include "runtime/klass.h"

#define HW_SKYWAY_UPDATES 32

/* Sets the field at `offset` of an object that has just arrived. The whole buffer has arrived, and no one else has seen
 * it. May be a safepoint. Returns false to reject the buffer. */
typedef bool hw_skyway_update(hw_handle object, uint32_t offset, void *context);

/* Registers `update`: from now on it is called for each arriving object of exactly this class, in the order of
 * registration. Returns false if there are too many. */
bool hw_skyway_register_update(const struct hw_klass *klass, uint32_t offset, hw_skyway_update *update, void *context);

/* Forgets all registered functions. */
void hw_skyway_forget_updates(void);

/* Return whether any class, or this class, has update functions. */
bool skyway_any_updated(void);
bool skyway_is_updated(const struct hw_klass *klass);

/* Calls the functions that are registered for the object. Returns false if one of them does. */
bool skyway_update(hw_ref object);

#endif
