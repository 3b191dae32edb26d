/* Lets software and units take turns in claiming objects (heap/epoch.h).
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
#ifndef HW_RUNTIME_HEAP_CLAIMS_H
#define HW_RUNTIME_HEAP_CLAIMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/critical.h"

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
