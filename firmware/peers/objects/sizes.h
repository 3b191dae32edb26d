/* Whether collections have as much as their sizes say: who made one need not be a reader that looks at values (a copy of memory
 * is none), and writers go by the size. */
#ifndef HW_PEERS_OBJECTS_SIZES_H
#define HW_PEERS_OBJECTS_SIZES_H

#include <stdbool.h>

#include "classes.h"
#include "runtime/object.h"

#define SIZES_FIELD(object, name) (*(const uint32_t *)hw_pointer((object) + HW_CLASS_##name))

/* An ArrayList's array is that long. */
static inline bool list_fits(hw_ref list)
{
    uint32_t size = SIZES_FIELD(list, ArrayList_size), array = SIZES_FIELD(list, ArrayList_elementData);

    return size == 0 || (array != 0 && size <= hw_array_length(array));
}

/* A HashMap has a table; how many nodes there are shows on the way through it. */
static inline bool map_fits(hw_ref map)
{
    return SIZES_FIELD(map, HashMap_size) == 0 || SIZES_FIELD(map, HashMap_table) != 0;
}

#undef SIZES_FIELD

#endif
