/* Safepoints: where a thread lets objects move.
 *
 * A collection runs on the thread that asks for it, when every other thread is at
 * a safepoint and no command of any thread is in flight. Allocations that leave
 * the fast path are safepoints; loops that do not allocate poll.
 */
#ifndef HW_RUNTIME_HEAP_SAFEPOINT_H
#define HW_RUNTIME_HEAP_SAFEPOINT_H

#include "runtime/thread.h"

extern volatile bool hw_safepoint_requested;

/* Settles the current thread's commands in flight. */
void hw_safepoint_settle(void);

/* Settles the thread's commands in flight and lets a collection that waits go first. */
void hw_safepoint_slow(void);

static inline void hw_safepoint(void)
{
    if (__builtin_expect(hw_safepoint_requested, 0))
        hw_safepoint_slow();
}

/* From here on the thread touches no object until hw_safepoint_leave, which waits while a collection runs. */
void hw_safepoint_enter(void);
void hw_safepoint_leave(void);

/* Brings every other thread to a safepoint and settles every command; counts how long that took. */
void hw_safepoint_stop_world(void);
void hw_safepoint_resume_world(void);

/* Set by the collector when it has moved what a runtime register refers to: the registers are
 * published again before the world goes on. */
extern bool hw_safepoint_registers_moved;

/* Lets another thread run; without threads there is none. firmware/thread replaces it. */
void hw_thread_yield(void);

/* In a critical section, not one within another: another thread runs between two looks at what the caller waits for. */
void hw_critical_pause(void);

#endif
