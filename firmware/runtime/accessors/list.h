/* Elements of repeated fields. An absent list has none. An index at or above the count raises HW_STATUS_NO_ELEMENT and
 * reads as zero, no bytes, or NULL. */
#ifndef HW_RUNTIME_ACCESSORS_LIST_H
#define HW_RUNTIME_ACCESSORS_LIST_H

#include "runtime/accessors/read.h"
#include "runtime/accessors/info.h"

static inline uint32_t hw_list_count(hw_handle message, uint32_t offset) {
    hw_ref list = hw_read_32(message, offset);

    return list ? ((const struct hw_array_list *)hw_pointer(list))->count : 0;
}

/* Returns element `index`, of 2^shift bytes, of the list at `offset`; NULL with HW_STATUS_NO_ELEMENT. Valid until the
 * next safepoint. */
void *hw_list_element(hw_handle message, uint32_t offset, uint32_t index, uint32_t shift);

static inline uint32_t hw_list_32(hw_handle message, uint32_t offset, uint32_t index) {
    const uint32_t *element = hw_list_element(message, offset, index, 2);

    return element ? *element : 0;
}

static inline uint64_t hw_list_64(hw_handle message, uint32_t offset, uint32_t index) {
    const uint64_t *element = hw_list_element(message, offset, index, 3);

    return element ? *element : 0;
}

static inline bool hw_list_bool(hw_handle message, uint32_t offset, uint32_t index) {
    const uint8_t *element = hw_list_element(message, offset, index, 0);

    return element && *element != 0;
}

static inline struct hw_bytes hw_list_bytes(hw_handle message, uint32_t offset, uint32_t index) {
    return hw_byte_string_bytes(hw_list_32(message, offset, index));
}

/* Returns an element that is a message; NULL also with HW_STATUS_NO_HANDLE. */
hw_handle hw_list_message(hw_handle message, uint32_t offset, uint32_t index);

/* Makes room for one more element of a field; makes list and array if they are absent. The field's value does not
 * change: an absent list becomes an empty one. Returns the list, valid until the next safepoint; NULL with an
 * error. A safepoint. */
struct hw_array_list *hw_list_room(hw_handle message, uint32_t offset, uint32_t type);

#endif
