/* java.util.HashMap: the JDK's map object, table and nodes, in the state that a JVM would have after the same calls.
 * One difference: a chain never becomes a tree. n keys with one hash thus cost n^2 / 2 comparisons, where a JVM needs n
 * log n.
 *
 * Keys may be null, strings, boxes and constants of enums; the hashCode() of other classes is known to a JVM only.
 * Handles may be slots of a root range.
 */
#ifndef HW_RUNTIME_JAVA_MAP_H
#define HW_RUNTIME_JAVA_MAP_H

#include <stdbool.h>

#include "runtime/thread.h"

/* Makes a new object, all of whose fields are zero, an empty map as HashMap(capacity) does. */
void hw_hash_map_init(hw_handle map, uint32_t capacity);

/* Makes a new object an empty map as readObject() does for a map of `expected` keys. The load factor must be greater
 * than 0; it is clamped to [0.25, 4]. Returns false with an error. A safepoint. */
bool hw_hash_map_init_read(hw_handle map, float load_factor, uint32_t expected);

enum hw_map_result {
    HW_MAP_ENTERED,
    HW_MAP_NO_MEMORY,  /* with an error */
    HW_MAP_COLLISIONS, /* the key's bucket already has `longest` other keys */
    HW_MAP_WRONG,      /* the class of a key has no known hash, or the table is not one of a map */
};

/* Most keys in one bucket for readers of foreign streams. It bounds the comparisons that one more key costs. */
#define HW_MAP_LONGEST 512u

/* Enters a key or replaces its value. A new key may have at most `longest - 1` others before it in its bucket. A
 * safepoint. */
enum hw_map_result hw_hash_map_enter(hw_handle map, hw_handle key, hw_handle value, uint32_t longest);

/* hw_hash_map_enter without a limit on the keys of a bucket. Returns false with an error: no room, or
 * HW_STATUS_WRONG_TYPE for HW_MAP_WRONG. A safepoint. */
bool hw_hash_map_put(hw_handle map, hw_handle key, hw_handle value);

/* Returns the node (java.util.HashMap$Node) of a key, or 0. Valid until the next safepoint. */
hw_ref hw_hash_map_find(hw_handle map, hw_handle key);

#endif
