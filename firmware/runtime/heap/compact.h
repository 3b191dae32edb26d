/* Full collection: marks, slides every live object that can move to the low end of the heap in the order of addresses,
 * and sweeps the large space.
 *
 * An object's new address follows from the number of marked granules before it (after the Compressor, Kermany and
 * Petrank 2006). Mark words stay as they are, and nothing has to be saved. Objects that do not fit into the old
 * generation stay in eden.
 */
#ifndef HW_RUNTIME_HEAP_COMPACT_H
#define HW_RUNTIME_HEAP_COMPACT_H

#include "runtime/heap/space.h"

/* Runs a full collection. With `clear_metadata`, clears the serialization metadata of every object. */
void hw_compact(bool clear_metadata);

#endif
