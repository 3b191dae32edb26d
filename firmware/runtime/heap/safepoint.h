/* Safepoints: where a thread lets objects move.
 *
 * A collection runs on the thread that requests it, once every other thread is at a safepoint and no command of any
 * thread is in flight. Allocations that leave the fast path are safepoints; loops that do not allocate poll.
 */
#ifndef HW_RUNTIME_HEAP_SAFEPOINT_H
#define HW_RUNTIME_HEAP_SAFEPOINT_H

#include "runtime/thread.h"

/* Why safepoints leave their fast path: a collection waits for them, or the heap is under stress. 0: they need not. */
enum { HW_SAFEPOINT_COLLECTION = 1, HW_SAFEPOINT_STRESS = 2 };
extern volatile uint8_t hw_safepoint_requested;

/* Returns whether a thread has commands in flight. */
bool hw_safepoint_in_flight(const struct hw_thread *thread);

/* Settles the current thread's commands in flight. */
void hw_safepoint_settle(void);

/* Settles the thread's commands in flight and lets a waiting collection run first. */
void hw_safepoint_slow(void);

static inline void hw_safepoint(void) {
    if (__builtin_expect(hw_safepoint_requested, 0)) hw_safepoint_slow();
}

/* Between hw_safepoint_enter and hw_safepoint_leave the thread touches no object. hw_safepoint_leave waits while a
 * collection runs. */
void hw_safepoint_enter(void);
void hw_safepoint_leave(void);

/* Brings every other thread to a safepoint and settles every command. Counts the cycles of the wait. */
void hw_safepoint_stop_world(void);

/* Publishes the runtime registers again if a collection has moved the object that one of them refers to. */
void hw_safepoint_resume_world(void);

/* Lets another thread run. The default does nothing; firmware/thread replaces it. */
void hw_thread_yield(void);

/* Leaves the caller's critical section, lets another thread run and enters the section again, for loops that wait. Only
 * in an outermost section. */
void hw_critical_pause(void);

#endif
