/* java.util.HashMap: the JDK's object, its table and nodes, as the JVM would have them after the same calls, but that a chain
 * never becomes a tree: n keys of one hash cost n^2 / 2 comparisons, where a JVM has n log n.
 *
 * Keys may be null, strings, boxes and constants of enums; what other classes' hashCode() is only a JVM can tell. Handles may
 * be slots of a root range.
 */
#ifndef HW_RUNTIME_JAVA_MAP_H
#define HW_RUNTIME_JAVA_MAP_H

#include <stdbool.h>

#include "runtime/handle.h"

/* Makes a new object, all of whose fields are zero, an empty map as HashMap(capacity) does. */
void hw_hash_map_init(hw_handle map, uint32_t capacity);

/* The same as readObject() does for a map that was written with so many keys; the load factor is greater than 0, and
 * at least 0.25 and at most 4 from then on. False with an exception. A safepoint. */
bool hw_hash_map_init_read(hw_handle map, float load_factor, uint32_t expected);

enum hw_map_result {
    HW_MAP_ENTERED,
    HW_MAP_NO_MEMORY,  /* the exception is raised */
    HW_MAP_COLLISIONS, /* `longest` other keys are in this one's bucket */
    HW_MAP_WRONG,      /* a key of a class whose hash is not known, or a table that no map has */
};

/* Of keys in one bucket, as many as readers of foreign streams enter: a key more costs as many comparisons at most. */
#define HW_MAP_LONGEST 512u

/* Enters a key or replaces its value; a new key behind at most `longest - 1` others in its bucket. A safepoint. */
enum hw_map_result hw_hash_map_enter(hw_handle map, hw_handle key, hw_handle value, uint32_t longest);

/* The same for any number of them. False with an exception: no room, or HW_WRONG_TYPE for HW_MAP_WRONG. A safepoint. */
bool hw_hash_map_put(hw_handle map, hw_handle key, hw_handle value);

/* The node (java.util.HashMap$Node) of a key, or 0: valid until the next safepoint. */
hw_ref hw_hash_map_find(hw_handle map, hw_handle key);

#endif
