/* Critical sections: short parts of the runtime that work on shared state and that the timer must not interrupt in
 * favour of another thread. Examples: filling a buffer from eden, taking a large region, opening an epoch.
 *
 * While a section is open, firmware/thread does not switch threads. Sections nest. Inside a section there is no
 * safepoint and no hw_thread_yield.
 */
#ifndef HW_RUNTIME_CRITICAL_H
#define HW_RUNTIME_CRITICAL_H

#include <stdint.h>

/* Number of open sections. All of them belong to the running thread, because no other thread gets to run. */
extern volatile uint32_t hw_critical_depth;

static inline void hw_critical_enter(void) {
    hw_critical_depth++;
    __asm__ volatile("" ::: "memory");
}

static inline void hw_critical_leave(void) {
    __asm__ volatile("" ::: "memory");
    hw_critical_depth--;
}

/* Like hw_critical_enter, where the caller knows that no section is open, as at a safepoint. */
static inline void hw_critical_enter_first(void) {
    hw_critical_depth = 1;
    __asm__ volatile("" ::: "memory");
}

static inline void hw_critical_leave_last(void) {
    __asm__ volatile("" ::: "memory");
    hw_critical_depth = 0;
}

#endif
