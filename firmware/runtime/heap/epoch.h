/* Epochs of serializations, one namespace for every format (docs/runtime.md).
 *
 * The first word of an object's metadata is its owner: the epoch in the upper half,
 * what the format wants in the lower one. Any epoch that is not open reads as unset. A full collection clears all metadata and starts
 * counting anew, and only runs so while no epoch is open.
 */
#ifndef HW_RUNTIME_HEAP_EPOCH_H
#define HW_RUNTIME_HEAP_EPOCH_H

#include "runtime/heap/heap.h"

#define HW_EPOCH_BITS 16
#define HW_EPOCH_LAST ((1u << HW_EPOCH_BITS) - 1)

/* Opens an epoch: 1 to HW_EPOCH_LAST, or 0 with HW_OUT_OF_EPOCHS. After the last one a full
 * collection starts over, which needs every other epoch to be closed. A safepoint. */
uint32_t hw_epoch_open(void);
void hw_epoch_close(uint32_t epoch);

/* No epoch is open, the next one is `next`: for hw_heap_init (1), and for tests of the overflow. */
void hw_epoch_reset(uint32_t next);

/* In a full collection, with the world stopped: true if every epoch is used up and none is open, and
 * the count starts over, for which the collection has to clear all metadata. */
bool hw_epoch_restart(void);

/* Epochs that are open. */
uint32_t hw_epochs_open(void);

/* Takes the object's ownership word for `owner`, atomically against other cores and units:
 * true if no one has it in an epoch that is open, or `owner` has it already. */
bool hw_epoch_claim(void *object, uint32_t owner);

#endif
