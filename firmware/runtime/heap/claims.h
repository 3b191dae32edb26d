/* Whose turn it is to claim objects (heap/epoch.h): software's or units'.
 *
 * What a unit claims it claims atomically among units alone. So software that takes owner words, of whatever format, waits until no unit does,
 * of any thread, and units get nothing meanwhile that claims:
 *
 *   hw_claims_enter();
 *   ... hw_epoch_take ...             no safepoint, and no wait for another thread
 *   hw_claims_leave();
 *
 * Threads may be within at the same time: their claims are atomic among them. It does not nest.
 */
#ifndef HW_RUNTIME_HEAP_CLAIMS_H
#define HW_RUNTIME_HEAP_CLAIMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/critical.h"

/* Threads that claim by software, or wait for their turn: units get nothing to write. In a critical section. */
extern uint32_t hw_claiming;

/* Whether a unit may claim for a command that is in flight, of any thread; asked in a critical section. Of the driver of such units; NULL: there is
 * none. */
extern bool (*hw_claims_by_units)(void);

void hw_claims_wait(void);

static inline void hw_claims_enter(void)
{
    hw_critical_enter();
    hw_claiming++;
    if (__builtin_expect(hw_claims_by_units != NULL, 0))
        hw_claims_wait();
    hw_critical_leave();
}

static inline void hw_claims_leave(void)
{
    hw_critical_enter();
    hw_claiming--;
    hw_critical_leave();
}

#endif
