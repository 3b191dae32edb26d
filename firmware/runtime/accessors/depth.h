/* Limits how deep the walks over messages recurse. A level takes little stack, because raw references are its only
 * arguments, but a sender may nest messages as deep as it likes. */
#ifndef HW_RUNTIME_ACCESSORS_DEPTH_H
#define HW_RUNTIME_ACCESSORS_DEPTH_H

#include "runtime/accessors/info.h"
#include "runtime/thread.h"

/* The most stack, in bytes, that a level of equals, hash code or is-initialized takes. */
#define HW_MESSAGE_STACK 336

/* Stores how many messages may nest within the root: HW_MESSAGE_MAX_DEPTH, or what fits on the thread's stack. Returns
 * false with HW_TOO_DEEP if not even the root fits. */
static inline bool hw_message_depth(uint32_t *depth) {
    uint32_t levels = hw_stack_levels(HW_MESSAGE_MAX_DEPTH + 1, HW_MESSAGE_STACK);

    *depth = levels - 1;
    if (levels == 0) hw_exception_raise(HW_TOO_DEEP);
    return levels != 0;
}

#endif
