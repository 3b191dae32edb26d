/* Changes of messages that lie in arenas, outside the heap (hw_protobuf_open).
 *
 *   HW_ARENAS(&arenas);
 *   guests_Guest_set_name(guest, "Ada");
 *
 * A message and all that it refers to lie in one memory: in the heap, or in one pair of arenas. So what a setter makes
 * for a message in arenas, a string, a list, a submessage, lies in them, too, and ends with them. They must be in
 * force: of arenas that are not, a message cannot be changed but for its numbers (HW_STATUS_OTHER_MEMORY). If they are
 * full, a call leaves the message as it was and raises HW_STATUS_ARENA_FULL. Nothing is collected there: what a setter
 * replaces stays.
 */
#ifndef HW_RUNTIME_ACCESSORS_ARENAS_H
#define HW_RUNTIME_ACCESSORS_ARENAS_H

#include "runtime/accessors/info.h"
#include "runtime/compiler.h"
#include "runtime/heap/card.h"

/* Puts the arenas in force for the running thread, until the end of the enclosing block. They must last until then. */
#define HW_ARENAS(arenas) HW_ARENAS_OF(arenas, __LINE__)
#define HW_ARENAS_OF(arenas, line) HW_ARENAS_NAMED(arenas, line)
#define HW_ARENAS_NAMED(arenas, line) \
    struct hw_arenas *hw_arenas_before_##line __attribute__((cleanup(hw_arenas_end), unused)) = hw_arenas_begin(arenas)

/* Puts arenas in force; NULL: none. Returns those that were. */
static inline struct hw_arenas *hw_arenas_begin(struct hw_arenas *arenas) {
    struct hw_arenas *before = hw_thread->arenas;

    hw_thread->arenas = arenas;
    return before;
}

static inline void hw_arenas_end(struct hw_arenas *const *before) { hw_thread->arenas = *before; }

/* For the other files of this folder and for setters. */

/* Returns whether an object is the heap's. By the table of cards, which the barrier needs, too. */
ALWAYS_INLINE bool hw_object_in_heap(hw_ref object) {
    return LIKELY((object >> HW_CARD_SHIFT) - hw_card_table.first < hw_card_table.count);
}

/* Takes bytes for objects that a message outside the heap will refer to: from the fixed arena or, if that is full, from
 * the other one. Returns 0 with an error. No safepoint. */
hw_ref hw_arenas_take(hw_handle message, uint32_t bytes);

/* hw_arenas_take, of a new message without any field or of a byte string. */
hw_ref hw_arenas_new_message(hw_handle message, const struct hw_message_info *info);
hw_ref hw_arenas_new_bytes(hw_handle message, const void *data, uint32_t length);

/* Returns whether a message may refer to an object; false with HW_STATUS_OTHER_MEMORY. */
bool hw_object_may_refer(hw_ref message, hw_ref object);

#endif
