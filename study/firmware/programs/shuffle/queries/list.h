/* Lists of records: java.util.ArrayList, filled from its end. Functions that may make objects are safepoints. */
#ifndef HW_PROGRAMS_SHUFFLE_QUERIES_LIST_H
#define HW_PROGRAMS_SHUFFLE_QUERIES_LIST_H

#include "runtime/thread.h"
#include "runtime/klass.h"

/* Returns an empty list in a new local handle, or NULL with an exception. */
hw_handle list_new(void);

uint32_t list_size(hw_handle list);

/* Returns an element in a new local handle. */
hw_handle list_get(hw_handle list, uint32_t index);

/* Returns false with an exception. */
bool list_append(hw_handle list, hw_handle record);

/* Empties the list. Returns an array of this class with what was in it, or NULL with an exception. */
hw_handle list_take(hw_handle list, const struct hw_klass *array);

/* Sorts the elements, so that none comes before one that `first` puts before it. `first` is no safepoint. */
void list_sort(hw_handle list, bool (*first)(hw_ref one, hw_ref other));

#endif
