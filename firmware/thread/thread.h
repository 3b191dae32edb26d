/* Threads on the SoC: stacks, a switch of all registers, and a timer that preempts. runtime/thread.h has the runtime's
 * view of them.
 *
 *   static struct hw_thread worker;
 *   static uint32_t stack[1024];
 *   hw_thread_preempt(10000);
 *   hw_thread_start(&worker, stack, sizeof(stack), work, argument);
 *   ...
 *   hw_thread_join(&worker);
 *
 * The caller chooses the size of a thread's stack. The protobuf codecs, whose recursion is as deep as messages nest,
 * first check how much is left (hw_stack_levels). On the 4 KB above, messages may nest about 15 deep in software;
 * deeper ones end in DEPTH_EXCEEDED. 100 levels take 24 KB. Units need no stack.
 *
 * Threads take turns, round the ring. A switch is a trap or a call. If it happens while a command is being staged,
 * submit returns RETRY (units/command.h), whatever other threads have staged meanwhile, because a preempted thread
 * resumes through mret. All threads share C's thread-local storage (errno).
 */
#ifndef HW_THREAD_THREAD_H
#define HW_THREAD_THREAD_H

#include "runtime/heap/safepoint.h"

#define HW_THREAD_MIN_STACK 512

/* Switches threads every `cycles` cycles from now on; 0: only when they yield. */
void hw_thread_preempt(uint32_t cycles);

/* Runs `function` as a thread. `thread` and `stack` belong to it until hw_thread_join has returned. Returns false, and
 * starts nothing, if the stack is smaller than HW_THREAD_MIN_STACK. */
bool hw_thread_start(struct hw_thread *thread, void *stack, uint32_t bytes, void (*function)(void *), void *argument);

/* Ends the running thread, as a return from its function does. Not for hw_main_thread. */
__attribute__((noreturn)) void hw_thread_exit(void);

/* Waits until `thread` has ended. A safepoint. Afterwards its handles are gone, and the struct and the stack may be
 * reused. */
void hw_thread_join(struct hw_thread *thread);

/* Number of switches so far, and of those that the timer caused. */
extern uint32_t hw_thread_switches, hw_thread_preemptions;

#endif
