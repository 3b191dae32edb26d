#include "thread/thread.h"

#include <stdio.h>

#include <generated/csr.h>
#include <generated/soc.h>

#include "platform/finish.h"
#include "platform/trap.h"
#include "runtime/thread.h"
#include "runtime/heap/adopt.h"
#include "protobuf/fields/instructions.h"

#define STATUS_MIE 8u
#define STACK_ALIGNMENT 16u
#define STACK_GUARD 0x5afe57acu
#define FRAME_WORDS 16 /* words that hw_thread_switch stores on a stack */

void hw_thread_switch(uint32_t *saved, uint32_t stack_pointer);
void hw_thread_begin(void);
__attribute__((noreturn)) void hw_thread_main(void (*function)(void *), void *argument);

uint32_t hw_thread_switches, hw_thread_preemptions;

static inline uint32_t interrupts_off(void) {
    uint32_t status;

    __asm__ volatile("csrrci %0, mstatus, 8" : "=r"(status)::"memory");
    return status & STATUS_MIE;
}

static inline void interrupts_restore(uint32_t enabled) {
    __asm__ volatile("csrs mstatus, %0" ::"r"(enabled) : "memory");
}

/* Interrupts must be off. */
static void switch_to_next(void) {
    struct hw_thread *self = hw_thread, *next = self->next;

    while (next->ended && next != self) next = next->next;
    if (next == self) return;
    if (self->stack_guard && *self->stack_guard != STACK_GUARD) {
        printf("# thread %08lx: its stack is full\n", (unsigned long)hw_reference(self));
        hw_finish(EXIT_TRAP);
    }
    hw_thread_switches++;
    hw_fields_break(); /* the next thread must not continue this thread's sequence of field instructions */
    hw_thread = next;
    hw_thread_switch(&self->stack_pointer, next->stack_pointer);
}

void hw_thread_yield(void) {
    uint32_t enabled = interrupts_off();

    switch_to_next();
    interrupts_restore(enabled);
}

/* Runs in the trap. The state of the interrupted code is on the stack, so the switch is an ordinary one. It returns
 * here when it is this thread's turn again. */
static void tick(void) {
    timer0_ev_pending_write(1);
    if (hw_critical_depth) return;
    hw_thread_preemptions++;
    switch_to_next();
}

void hw_thread_preempt(uint32_t cycles) {
    timer0_en_write(0);
    timer0_ev_enable_write(0);
    timer0_ev_pending_write(1);
    hw_interrupt_attach(TIMER0_INTERRUPT, cycles ? tick : NULL);
    if (!cycles) return;
    timer0_load_write(cycles);
    timer0_reload_write(cycles);
    timer0_ev_enable_write(1);
    timer0_en_write(1);
}

bool hw_thread_start(struct hw_thread *thread, void *stack, uint32_t bytes, void (*function)(void *), void *argument) {
    uint32_t *top = hw_pointer((hw_reference(stack) + bytes) & ~(STACK_ALIGNMENT - 1));

    if (bytes < HW_THREAD_MIN_STACK) return false;
    *thread = (struct hw_thread){.safe = true, .stack_guard = stack};
    hw_handles_drop(thread);
    *thread->stack_guard = STACK_GUARD;
    top -= FRAME_WORDS;
    top[0] = hw_reference((const void *)(uintptr_t)hw_thread_begin); /* ra, s0, s1 */
    top[1] = hw_reference((const void *)(uintptr_t)function);
    top[2] = hw_reference(argument);
    thread->stack_pointer = hw_reference(top);

    hw_critical_enter();
    thread->next = hw_thread->next;
    hw_thread->next = thread;
    hw_critical_leave();
    return true;
}

void hw_thread_main(void (*function)(void *), void *argument) {
    interrupts_restore(STATUS_MIE);
    hw_safepoint_leave();
    function(argument);
    hw_thread_exit();
}

void hw_thread_exit(void) {
    hw_safepoint_settle();
    hw_handles_drop(hw_thread);
    hw_safepoint_enter();
    interrupts_off();
    hw_thread->ended = true;
    switch_to_next();
    __builtin_unreachable();
}

void hw_thread_join(struct hw_thread *thread) {
    struct hw_thread *before;

    hw_safepoint_enter();
    while (!thread->ended) hw_thread_yield();
    hw_safepoint_leave();
    hw_critical_enter();
    hw_buffer_close(thread);
    hw_adopt_close(thread, true);
    for (before = thread; before->next != thread; before = before->next);
    before->next = thread->next;
    hw_critical_leave();
}
