/* Writing the slots of a message object: the functions that generated setters call. All arguments but the message and
 * the value are constants of the layout, so that a call is a few stores.
 *
 * A change of a NULL message raises HW_STATUS_NULL_MESSAGE and returns false. hw_put_bytes is a safepoint.
 */
#ifndef HW_RUNTIME_ACCESSORS_WRITE_H
#define HW_RUNTIME_ACCESSORS_WRITE_H

#include "runtime/accessors/fresh.h"
#include "runtime/heap/card.h"

/* Where a message object has a singular field, and what changes with it. Offsets are from the object's start. */
struct hw_place {
    uint32_t offset;
    uint32_t shift;  /* log2 of the slot's bytes */
    uint32_t memos;  /* of memoizedSize, which memoizedIsInitialized follows */
    uint32_t word;   /* of the word with the field's hasbit */
    uint32_t hasbit; /* in that word */
};

/* Resets the memoized values and sets or clears the hasbit. Returns the slot. */
ALWAYS_INLINE void *hw_put_place(hw_handle message, struct hw_place place, bool present) {
    char *object = hw_handle_object(message);
    int32_t *memos = (int32_t *)(object + place.memos);
    uint32_t *word = (uint32_t *)(object + place.word);

    memos[0] = memos[1] = HW_OBJECT_MEMO_UNSET;
    *word = present ? *word | 1u << place.hasbit : *word & ~(1u << place.hasbit);
    return object + place.offset;
}

ALWAYS_INLINE bool hw_put(hw_handle message, struct hw_place place, uint64_t bits, bool present) {
    if (UNLIKELY(!message)) return hw_object_there(message);
    void *slot = hw_put_place(message, place, present);

    if (place.shift == 0)
        *(uint8_t *)slot = bits != 0;
    else if (place.shift == 2)
        *(uint32_t *)slot = (uint32_t)bits;
    else
        *(uint64_t *)slot = bits;
    return true;
}

/* Sets a field with implicit presence. */
ALWAYS_INLINE bool hw_put_implicit(hw_handle message, struct hw_place place, uint64_t bits) {
    return hw_put(message, place, bits, bits != 0);
}

/* Makes a field absent, if it is none of a oneof. `single`: it has a hasbit. Null needs no barrier. */
ALWAYS_INLINE bool hw_put_nothing(hw_handle message, struct hw_place place, bool single) {
    if (UNLIKELY(!message)) return hw_object_there(message);
    if (single) return hw_put(message, place, 0, false);
    char *object = hw_handle_object(message);

    ((int32_t *)(object + place.memos))[0] = ((int32_t *)(object + place.memos))[1] = HW_OBJECT_MEMO_UNSET;
    *(hw_ref *)(void *)(object + place.offset) = 0;
    return true;
}

/* Sets a string or bytes field, which is info->fields[index]. `data` lies outside the heap. UTF-8 is not checked. */
ALWAYS_INLINE bool hw_put_bytes(hw_handle message, const struct hw_message_info *info, uint32_t index,
                                struct hw_place place, const void *data, uint32_t length) {
    if (UNLIKELY(!message || !hw_object_in_heap(message->reference)))
        return hw_message_set_bytes(message, info, index, data, length);
    hw_ref string = hw_object_new_bytes(data, length);

    if (UNLIKELY(string == 0)) return false;
    hw_write(hw_put_place(message, place, true), string);
    return true;
}

/* Returns a submessage, a new one if there is none. Not for members of a oneof. `size` and `words` are those of `type`,
 * its info. */
ALWAYS_INLINE hw_handle hw_put_mutable(hw_handle message, const struct hw_message_info *info, uint32_t index,
                                       struct hw_place place, const struct hw_message_info *type, uint32_t size,
                                       uint32_t words) {
    hw_ref value = message ? *(const hw_ref *)hw_read_slot(message, place.offset) : 0;

    if (LIKELY(value != 0)) {
        int32_t *memos = (int32_t *)((char *)hw_handle_object(message) + place.memos);

        memos[0] = memos[1] = HW_OBJECT_MEMO_UNSET;
        return hw_handle_hold(value);
    }
    if (UNLIKELY(!message || !hw_object_in_heap(message->reference))) return hw_message_mutable(message, info, index);
    hw_handle held = hw_object_new_message(type, size, words, &value);

    if (LIKELY(held)) hw_write(hw_put_place(message, place, true), value);
    return held;
}

#endif
