/* Short sections of the runtime that threads share, which a timer must not cut in
 * two: filling a buffer from eden, taking a large region, opening an epoch.
 *
 * While any is open firmware/thread switches no threads. They nest; within one
 * there is no safepoint and no hw_thread_yield.
 */
#ifndef HW_RUNTIME_CRITICAL_H
#define HW_RUNTIME_CRITICAL_H

#include <stdint.h>

/* Open sections. All are of the thread that runs, because no other gets to run. */
extern volatile uint32_t hw_critical_depth;

static inline void hw_critical_enter(void)
{
    hw_critical_depth++;
    __asm__ volatile("" ::: "memory");
}

static inline void hw_critical_leave(void)
{
    __asm__ volatile("" ::: "memory");
    hw_critical_depth--;
}

/* The same where no section is open, as at a safepoint. */
static inline void hw_critical_enter_first(void)
{
    hw_critical_depth = 1;
    __asm__ volatile("" ::: "memory");
}

static inline void hw_critical_leave_last(void)
{
    __asm__ volatile("" ::: "memory");
    hw_critical_depth = 0;
}

#endif
