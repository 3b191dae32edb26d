/* Threads of the SoC: stacks, a switch of all registers, and a timer that
 * preempts. What the runtime knows of them is in runtime/thread.h.
 *
 *   static struct hw_thread worker;
 *   static uint32_t stack[1024];
 *   hw_thread_preempt(10000);
 *   hw_thread_start(&worker, stack, sizeof(stack), work, argument);
 *   ...
 *   hw_thread_join(&worker);
 *
 * How much stack a thread needs its function knows. What recurses as deep as messages nest, the codecs of protobuf, looks first
 * at what is left (hw_stack_levels): on the 4 KB above messages nest about 15 deep in software, beyond that they are
 * DEPTH_EXCEEDED; 100 levels take 24 KB. Units need none.
 *
 * Threads take turns, round the ring. A switch is a trap or a call: a command that is
 * staged when it happens answers RETRY (units/command.h), whatever another thread has
 * staged meanwhile, because a thread that was cut off comes back through mret. Thread-local
 * storage of C (errno) is shared.
 */
#ifndef HW_THREAD_THREAD_H
#define HW_THREAD_THREAD_H

#include "runtime/heap/safepoint.h"

#define HW_THREAD_MIN_STACK 512

/* Switches threads every `cycles` cycles from now on; 0: only when they yield. */
void hw_thread_preempt(uint32_t cycles);

/* Runs `function` as a thread. `thread` and `stack` are its own until hw_thread_join has returned. False,
 * and nothing is started, if the stack is smaller than HW_THREAD_MIN_STACK. */
bool hw_thread_start(struct hw_thread *thread, void *stack, uint32_t bytes, void (*function)(void *), void *argument);

/* Ends the thread that runs, as a return from its function does. Not for hw_main_thread. */
__attribute__((noreturn)) void hw_thread_exit(void);

/* Waits until `thread` has ended; a safepoint. Then its handles are gone, and both it and its stack are free. */
void hw_thread_join(struct hw_thread *thread);

/* Switches made so far, those of the timer among them. */
extern uint32_t hw_thread_switches, hw_thread_preemptions;

#endif
