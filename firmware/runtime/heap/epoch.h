/* Epochs of serializations, one namespace for every format (docs/runtime.md).
 *
 * The first word of an object's metadata is its owner: the epoch in the upper half,
 * what the format wants in the lower one. Any epoch that is not open reads as unset. A full collection clears all metadata and starts
 * counting anew, and only runs so while no epoch is open.
 */
#ifndef HW_RUNTIME_HEAP_EPOCH_H
#define HW_RUNTIME_HEAP_EPOCH_H

#include "runtime/critical.h"
#include "runtime/heap/heap.h"

#define HW_EPOCH_BITS 16
#define HW_EPOCH_LAST ((1u << HW_EPOCH_BITS) - 1)
/* Of the owner word: the epoch is above. */
#define HW_EPOCH_SHIFT (32 - HW_EPOCH_BITS)

/* The epochs that are open, 0 for none, as units read them (runtime register OPEN_EPOCHS): the epoch in bits 15..0; above, the least
 * lower half of an owner word that counts. */
#define HW_OPEN_EPOCHS 8
extern uint32_t hw_open_epochs[HW_OPEN_EPOCHS];

/* Opens an epoch: 1 to HW_EPOCH_LAST, or 0 with HW_OUT_OF_EPOCHS. After the last one a full
 * collection starts over, which needs every other epoch to be closed. A safepoint. */
uint32_t hw_epoch_open(void);
void hw_epoch_close(uint32_t epoch);

/* What owner words of this open epoch have below `least` in their lower halves reads as unset from now on. It only rises. */
void hw_epoch_retire(uint32_t epoch, uint32_t least);

/* No epoch is open, the next one is `next`: for hw_heap_init (1), and for tests of the overflow. */
void hw_epoch_reset(uint32_t next);

/* Resets so far: an epoch that was opened before one is not the epoch of the same number after it. */
extern uint32_t hw_epoch_resets;

/* In a full collection, with the world stopped: true if every epoch is used up and none is open, and
 * the count starts over, for which the collection has to clear all metadata. */
bool hw_epoch_restart(void);

/* How many epochs are open. */
uint32_t hw_epochs_open(void);

/* The least owner word that counts, UINT32_MAX if no epoch is open. It stays a lower bound of those that do. */
extern uint32_t hw_epoch_oldest;

static inline uint32_t hw_epoch_oldest_owner(void)
{
    return hw_epoch_oldest;
}

/* Whether the owner word counts: its epoch is open and its lower half has not been retired. */
bool hw_epoch_counts(uint32_t owner);

/* The first word is `owner` and the second one `address`, if the first is `found` still; else `found` is what it is. Atomic among threads, of which one at a
 * time runs, so that a critical section will do, in half the time of LR and SC, which both go to memory; against units within hw_claims_enter (claims.h). */
static inline bool hw_epoch_swap(uint32_t *words, uint32_t *found, uint32_t owner, uint32_t address)
{
    hw_critical_enter();
    uint32_t now = words[0];
    bool same = now == *found;

    if (same) {
        words[0] = owner;
        words[1] = address;
    }
    hw_critical_leave();
    *found = now;
    return same;
}

/* hw_epoch_claim of an object whose metadata is known: only owner words from `oldest` on can count. */
static inline bool hw_epoch_take(uint32_t *words, uint32_t owner, uint32_t oldest, uint32_t address)
{
    uint32_t found = *(volatile uint32_t *)words;

    do {
        if (found == owner)
            return true;
        if (found >= oldest && hw_epoch_counts(found))
            return false;
    } while (!hw_epoch_swap(words, &found, owner, address));
    return true;
}

/* Takes the object's ownership word for `owner`, and makes the word behind it 0, atomically against other threads, against units within hw_claims_enter
 * (claims.h): true if no one has it in an epoch that is open, or `owner` has it already. */
bool hw_epoch_claim(void *object, uint32_t owner);

#endif
