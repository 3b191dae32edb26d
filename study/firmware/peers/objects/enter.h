/* Entering keys and values into maps while they are read. */
#ifndef HW_PEERS_OBJECTS_ENTER_H
#define HW_PEERS_OBJECTS_ENTER_H

#include "peers/objects/result.h"
#include "runtime/java/map.h"

/* Calls hw_hash_map_enter with a reader's limit, and returns a reader's status. A safepoint. */
static inline enum hw_objects_status enter_key(hw_handle map, hw_handle key, hw_handle value) {
    static const uint8_t statuses[] = {
        [HW_MAP_ENTERED] = HW_OBJECTS_OK,
        [HW_MAP_NO_MEMORY] = HW_OBJECTS_NO_MEMORY,
        [HW_MAP_COLLISIONS] = HW_OBJECTS_COLLISIONS,
        [HW_MAP_WRONG] = HW_OBJECTS_UNSUPPORTED,
    };

    return (enum hw_objects_status)statuses[hw_hash_map_enter(map, key, value, HW_MAP_LONGEST)];
}

#endif
