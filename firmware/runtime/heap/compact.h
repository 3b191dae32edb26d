/* Full collection: marks, slides everything that is live and can move to the low end
 * of the heap, in the order of addresses, and sweeps the large space.
 *
 * Where an object goes is the number of marked granules before it (after the
 * Compressor, Kermany and Petrank 2006): marks stay as they are, nothing has to be saved.
 * What the old generation cannot hold stays in eden.
 */
#ifndef HW_RUNTIME_HEAP_COMPACT_H
#define HW_RUNTIME_HEAP_COMPACT_H

#include "runtime/heap/space.h"

/* `clear_metadata`: serialization metadata of every object becomes zero. */
void hw_compact(bool clear_metadata);

#endif
