#include "runtime/heap/safepoint.h"

#include "runtime/compiler.h"
#include "runtime/heap/space.h"
#include "runtime/registers.h"

volatile uint8_t hw_safepoint_requested;

/* The object of a runtime register that may move, as the front end has it. */
static hw_ref published;

/* The thread that has stopped the world, or that waits for the others to reach a safepoint; NULL: none. */
static struct hw_thread *volatile stopper;

__attribute__((weak)) void hw_thread_yield(void) {}

bool hw_safepoint_in_flight(const struct hw_thread *thread) {
    for (uint32_t tag = 0; tag < HW_CLUSTER_TAGS; tag++)
        if (thread->commands[tag]) return true;
    return false;
}

OFTEN void hw_safepoint_settle(void) {
    struct hw_thread *thread = hw_thread;

    if (hw_thread_settled(thread)) return;
    for (uint32_t tag = 0; tag < HW_CLUSTER_TAGS; tag++)
        if (thread->commands[tag]) thread->commands[tag]->settle(thread->commands[tag]);
    thread->begun = NULL;
}

void hw_critical_pause(void) {
    hw_critical_leave();
    hw_thread_yield();
    hw_critical_enter();
}

static bool others_are_safe(void) {
    const struct hw_thread *self = hw_thread, *thread;

    for (thread = self->next; thread != self; thread = thread->next)
        if (!thread->safe || !hw_thread_settled(thread)) return false;
    return true;
}

void hw_safepoint_enter(void) {
    hw_safepoint_settle();
    hw_thread->safe = true;
}

void hw_safepoint_leave(void) {
    hw_critical_enter();
    while (hw_safepoint_requested & HW_SAFEPOINT_COLLECTION && stopper != hw_thread) hw_critical_pause();
    hw_thread->safe = false;
    hw_critical_leave();
}

void hw_safepoint_slow(void) {
    hw_safepoint_enter();
    hw_safepoint_leave();
}

static bool command_in_flight(void) {
    const struct hw_thread *thread = hw_thread;

    do
        if (hw_safepoint_in_flight(thread)) return true;
    while ((thread = thread->next) != hw_thread);
    return false;
}

/* Ends in a critical section, which hw_safepoint_resume_world leaves: no other thread runs during a collection. */
void hw_safepoint_stop_world(void) {
    struct hw_thread *self = hw_thread;
    uint32_t start = hw_clock(), waited;

    hw_heap_statistics.commands_met += command_in_flight();
    hw_safepoint_settle();
    hw_critical_enter();
    if (stopper) {
        /* Another thread collects first. This thread counts as being at a safepoint meanwhile. */
        self->safe = true;
        while (stopper) hw_critical_pause();
        self->safe = false;
        start = hw_clock();
    }
    stopper = self;
    hw_safepoint_requested |= HW_SAFEPOINT_COLLECTION;
    while (!others_are_safe()) hw_critical_pause();
    published = hw_registers[HW_REG_UNKNOWN_FIELDS];

    waited = hw_clock() - start;
    hw_heap_statistics.wait_cycles += waited;
    if (waited > hw_heap_statistics.longest_wait) hw_heap_statistics.longest_wait = waited;
}

void hw_safepoint_resume_world(void) {
    if (hw_registers[HW_REG_UNKNOWN_FIELDS] != published) hw_registers_publish();
    hw_safepoint_requested &= HW_SAFEPOINT_STRESS;
    stopper = NULL;
    hw_critical_leave();
}
