/* Checks that collections hold as many elements as their sizes say. Writers go by the size, and a collection may come
 * from a reader that does not check values, such as one that copies memory. */
#ifndef HW_PEERS_OBJECTS_SIZES_H
#define HW_PEERS_OBJECTS_SIZES_H

#include <stdbool.h>

#include "classes.h"
#include "runtime/object.h"

#define SIZES_FIELD(object, name) (*(const uint32_t *)hw_pointer((object) + HW_CLASS_##name))

/* Returns whether an ArrayList's array is long enough. */
static inline bool list_fits(hw_ref list) {
    uint32_t size = SIZES_FIELD(list, ArrayList_size), array = SIZES_FIELD(list, ArrayList_elementData);

    return size == 0 || (array != 0 && size <= hw_array_length(array));
}

/* Returns whether a HashMap has a table. The walk through it finds out how many nodes there are. */
static inline bool map_fits(hw_ref map) {
    return SIZES_FIELD(map, HashMap_size) == 0 || SIZES_FIELD(map, HashMap_table) != 0;
}

#undef SIZES_FIELD

#endif
