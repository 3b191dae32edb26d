/* Lists of records: java.util.ArrayList, filled from its end. Functions that may make objects are safepoints. */
#ifndef HW_PROGRAMS_SHUFFLE_LIST_H
#define HW_PROGRAMS_SHUFFLE_LIST_H

#include "programs/shuffle/graph.h"

static inline hw_handle list_new(void) { return hw_new(HW_CLASS_ArrayList); }

static inline uint32_t list_size(hw_handle list) { return FIELD(list, uint32_t, ArrayList_size); }

/* Returns a record in a new local handle. */
static inline hw_handle list_get(hw_handle list, uint32_t index) {
    hw_ref elements = FIELD(list, hw_ref, ArrayList_elementData);

    return hw_handle_new(((const hw_ref *)hw_pointer(elements + HW_OBJECT_METADATA_ARRAY_ELEMENTS))[index]);
}

/* Returns false with an error. */
bool list_append(hw_handle list, hw_handle record);

/* Empties the list. Returns an array of this class with what was in it, or NULL with an error. */
hw_handle list_take(hw_handle list, const struct hw_klass *array);

#endif
