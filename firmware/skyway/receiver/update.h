/* registerUpdate: fields that get a new value when an object has arrived (docs/skyway.md, "Updates"). */
#ifndef HW_SKYWAY_RECEIVER_UPDATE_H
#define HW_SKYWAY_RECEIVER_UPDATE_H

#include <stdbool.h>

#include "runtime/handle.h"
#include "runtime/klass.h"

#define HW_SKYWAY_UPDATES 32

/* Sets the field at `offset` of the object that has just arrived. The whole buffer is there, and nobody else has seen it. May be a
 * safepoint. False: the buffer is refused. */
typedef bool hw_skyway_update(hw_handle object, uint32_t offset, void *context);

/* From now on `update` is called for each object of exactly this class that arrives, in the order of registration. False: too
 * many. */
bool hw_skyway_register_update(const struct hw_klass *klass, uint32_t offset, hw_skyway_update *update, void *context);

/* No field is updated any more. */
void hw_skyway_forget_updates(void);

/* Whether any class is. */
bool skyway_any_updated(void);
bool skyway_is_updated(const struct hw_klass *klass);

/* Calls what is registered for the object. */
bool skyway_update(hw_ref object);

#endif
