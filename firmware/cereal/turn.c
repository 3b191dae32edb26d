/* The order of begins and ends of a context, and the commands in flight, for code that waits until there are none. */
#include "runtime/critical.h"
#include "runtime/heap/safepoint.h"
#include "cereal/register.h"
#include "cereal/unit.h"

uint32_t hw_cereal_held_off, hw_cereal_others;

static bool is_ours(const struct hw_pending *pending) {
    return pending->settle == hw_cereal_settle_write || pending->settle == hw_cereal_settle_read;
}

/* Settles the thread's commands of other drivers: this command may write what they build, or build where they do. */
static void settle_others(void) {
    struct hw_pending *pending = hw_thread->pending;

    while (pending) {
        if (is_ours(pending)) {
            pending = pending->next;
            continue;
        }
        pending->settle(pending);
        pending = hw_thread->pending;
    }
}

bool hw_cereal_may_begin_after(struct hw_cereal *context) {
    if (context->status != HW_STATUS_OK) return false;
    if (context->command.stage != HW_CEREAL_NONE) return hw_cereal_fail(context, HW_STATUS_OUT_OF_TURN);
    hw_safepoint();
    settle_others();
    return true;
}

void hw_cereal_wait_for_tag(void) {
    if (hw_thread->pending)
        hw_safepoint_settle();
    else
        hw_thread_yield();
}

/* Returns whether a command to write, or with `writes_alone` false any Cereal command, is in flight, of any thread. Its
 * own thread takes its outcome. */
static bool in_flight(bool writes_alone) {
    const struct hw_thread *thread = hw_thread;

    do {
        for (const struct hw_pending *pending = thread->pending; pending; pending = pending->next)
            if ((pending->settle == hw_cereal_settle_write ||
                 (!writes_alone && pending->settle == hw_cereal_settle_read)) &&
                hw_command_poll(((const struct hw_cereal *)(const void *)pending)->command.tag) == HW_WAIT_PENDING)
                return true;
    } while ((thread = thread->next) != hw_thread);
    return false;
}

bool hw_cereal_units_write(void) { return in_flight(true); }

void hw_cereal_quiet(void) {
    hw_cereal_held_off++;
    while (hw_cereal_others != 0 || in_flight(false)) hw_critical_pause();
    hw_cereal_held_off--;
}
