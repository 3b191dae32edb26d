/* Epochs of serializations: one numbering for all formats (docs/reference/runtime.md).
 *
 * The first word of an object's metadata is its owner word: the epoch in the upper half, a value of the format's in the
 * lower half. An owner word whose epoch is not open reads as unset. When all epochs are used up, a full collection
 * clears all metadata and the count restarts; it does so only while no epoch is open.
 */
#ifndef HW_RUNTIME_HEAP_EPOCH_H
#define HW_RUNTIME_HEAP_EPOCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/heap/heap.h"

#define HW_EPOCH_BITS 16
#define HW_EPOCH_LAST ((1u << HW_EPOCH_BITS) - 1)
/* Position of the epoch in an owner word. */
#define HW_EPOCH_SHIFT (32 - HW_EPOCH_BITS)

/* The open epochs, 0 for a free entry, as units read them (runtime register OPEN_EPOCHS). An entry has the epoch in
 * bits 15..0 and, above, the least lower half of an owner word that counts. */
#define HW_OPEN_EPOCHS 8
extern uint32_t hw_open_epochs[HW_OPEN_EPOCHS];

/* Retires owner words of this open epoch whose lower half is below `least`: they read as unset from now on. Each call
 * may only raise `least`. */
void hw_epoch_retire(uint32_t epoch, uint32_t least);

/* Closes all epochs; the next one gets the number `next`. For hw_heap_init (1) and for tests of the overflow. */
void hw_epoch_reset(uint32_t next);

/* Number of calls of hw_epoch_reset. After a reset, the same number stands for another epoch. */
extern uint32_t hw_epoch_resets;

/* Called in a full collection, with the world stopped. If every number is used up and no epoch is open, restarts the
 * count and returns true; the collection must then clear all metadata. */
bool hw_epoch_restart(void);

/* The newest number; the number of open epochs. Changed only by the functions below and in epoch.c. */
extern uint32_t hw_epoch_newest, hw_epoch_in_use;

/* Returns the number of open epochs. */
static inline uint32_t hw_epochs_open(void) { return hw_epoch_in_use; }

/* A lower bound of the owner words that count; UINT32_MAX if no epoch is open. */
extern uint32_t hw_epoch_oldest;

static inline uint32_t hw_epoch_oldest_owner(void) { return hw_epoch_oldest; }

/* hw_epoch_open and hw_epoch_close beside other open epochs. */
uint32_t hw_epoch_open_another(void);
void hw_epoch_close_another(uint32_t epoch);

/* hw_epoch_open where no other epoch is open: a dozen instructions, because Cereal opens an epoch for each graph.
 * Returns 0, and does nothing, if an epoch is open or no number is left. */
static inline uint32_t hw_epoch_open_alone(void) {
    uint32_t epoch = 0;

    hw_critical_enter();
    if (hw_epoch_in_use == 0 && hw_epoch_newest != HW_EPOCH_LAST) {
        hw_epoch_newest = hw_open_epochs[0] = epoch = hw_epoch_newest + 1;
        hw_epoch_oldest = epoch << HW_EPOCH_SHIFT;
        hw_epoch_in_use = 1;
    }
    hw_critical_leave();
    return epoch;
}

/* Opens an epoch. Returns its number, 1 to HW_EPOCH_LAST, or 0 with HW_STATUS_OUT_OF_EPOCHS. After the last number a
 * full collection restarts the count, which requires that no epoch is open. A safepoint. */
static inline uint32_t hw_epoch_open(void) {
    uint32_t epoch = hw_epoch_open_alone();

    return epoch ? epoch : hw_epoch_open_another();
}

static inline void hw_epoch_close(uint32_t epoch) {
    hw_critical_enter();
    bool alone = hw_epoch_in_use == 1 && hw_open_epochs[0] && (hw_open_epochs[0] & HW_EPOCH_LAST) == epoch;

    if (alone) {
        hw_open_epochs[0] = 0;
        hw_epoch_oldest = UINT32_MAX;
        hw_epoch_in_use = 0;
    }
    hw_critical_leave();
    if (!alone) hw_epoch_close_another(epoch);
}

/* Returns whether the owner word counts: its epoch is open and its lower half has not been retired. */
bool hw_epoch_counts(uint32_t owner);

/* If the first word is still `*found`, stores `owner` and `address` into the two words and returns true. Else returns
 * false. Either way `*found` becomes the first word's previous value. Atomic among threads: only one runs at a time, so
 * a critical section suffices, which takes half the time of LR and SC, as both of these go to memory. Atomic against
 * units within hw_claims_enter. */
static inline bool hw_epoch_swap(uint32_t *words, uint32_t *found, uint32_t owner, uint32_t address) {
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

/* hw_epoch_claim for an object whose metadata words are known, with `address` for the second word. Only owner words
 * from `oldest` on can count. */
static inline bool hw_epoch_take(uint32_t *words, uint32_t owner, uint32_t oldest, uint32_t address) {
    uint32_t found = *(volatile uint32_t *)words;

    do {
        if (found == owner) return true;
        if (found >= oldest && hw_epoch_counts(found)) return false;
    } while (!hw_epoch_swap(words, &found, owner, address));
    return true;
}

/* Claims the object for `owner`: stores `owner` in its owner word and 0 in the word behind. Returns true if no one has
 * claimed it in an open epoch, or if `owner` already has. Atomic against other threads, and against units within
 * hw_claims_enter. */
bool hw_epoch_claim(void *object, uint32_t owner);

/* Lets software and units take turns in claiming objects.
 *
 * A unit's claim is atomic among units alone. So software that claims objects, whatever the format, first waits until
 * no unit claims for any thread. Meanwhile units get no command that claims:
 *
 *   hw_claims_enter();
 *   ... hw_epoch_take ...             no safepoint, and no wait for another thread
 *   hw_claims_leave();
 *
 * Several threads may be inside at once: their claims are atomic among them. Sections do not nest.
 */

/* Number of threads that are claiming objects in software or waiting to. While it is non-zero, no write command goes to
 * a unit. Accessed in critical sections. */
extern uint32_t hw_claiming;

/* Returns whether a command in flight, of any thread, may claim objects. Called in a critical section. The driver of
 * units that claim sets it; NULL: there is no such unit. */
extern bool (*hw_claims_by_units)(void);

void hw_claims_wait(void);

static inline void hw_claims_enter(void) {
    hw_critical_enter();
    hw_claiming++;
    if (__builtin_expect(hw_claims_by_units != NULL, 0)) hw_claims_wait();
    hw_critical_leave();
}

static inline void hw_claims_leave(void) {
    hw_critical_enter();
    hw_claiming--;
    hw_critical_leave();
}

#endif
