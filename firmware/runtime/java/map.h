/* java.util.HashMap: the JDK's object, its table and nodes, as the JVM would have them after the same calls, but that a chain
 * never becomes a tree: a look-up among many colliding keys is slow, not wrong.
 *
 * Keys may be null, strings, boxes and constants of enums; what other classes' hashCode() is only a JVM can tell. Handles may
 * be slots of a root range.
 */
#ifndef HW_RUNTIME_JAVA_MAP_H
#define HW_RUNTIME_JAVA_MAP_H

#include <stdbool.h>

#include "runtime/handle.h"

/* True if maps can be asked for keys of this class. */
bool hw_hash_map_key_class(uint32_t class);

/* Makes a new object, all of whose fields are zero, an empty map as HashMap(capacity) does. */
void hw_hash_map_init(hw_handle map, uint32_t capacity);

/* The same as readObject() does for a map that was written with so many keys; the load factor is greater than 0,
 * and at least 0.25 and at most 4 from then on.
 * False with an exception. A safepoint. */
bool hw_hash_map_init_read(hw_handle map, float load_factor, uint32_t expected);

/* Enters a key or replaces its value. False with an exception: no room, or HW_WRONG_TYPE for the key. A safepoint. */
bool hw_hash_map_put(hw_handle map, hw_handle key, hw_handle value);

/* The node (java.util.HashMap$Node) of a key, or 0: valid until the next safepoint. */
hw_ref hw_hash_map_find(hw_handle map, hw_handle key);

#endif
