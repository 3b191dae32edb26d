/* The order of begins and ends of a context, the outcomes of commands, and the commands in flight, for code that waits
 * until there are none. */
#include "cereal/flight.h"

#include <stddef.h>

#include "runtime/thread.h"
#include "units/capability.h"

_Static_assert(offsetof(struct hw_cereal, command.pending) == 0, "what is pending is known by its context");

void hw_cereal_open(struct hw_cereal *context, void *work, uint32_t work_bytes) {
    *context = (struct hw_cereal){
        .work = work,
        .work_bytes = work_bytes,
        .written_by_unit = hw_unit_count(HW_UNIT_CEREAL_SERIALIZER) != 0,
        .read_by_unit = hw_unit_count(HW_UNIT_CEREAL_DESERIALIZER) != 0,
    };
}

bool hw_cereal_fail(struct hw_cereal *context, hw_status status) {
    if (context->status == HW_STATUS_OK) context->status = status;
    return false;
}

/* Waits for the command's end, takes the results that the driver needs, and frees its tag. */
static inline struct cereal_written take_written(int32_t tag) {
    struct cereal_written written = {.status = hw_command_finish(tag)};

    written.length = hw_command_result(0, tag);
    if (UNLIKELY(written.status != HW_STATUS_OK)) written.at = hw_command_result(3, tag);
    hw_command_release(tag);
    return written;
}

static inline struct cereal_read take_read(int32_t tag) {
    struct cereal_read outcome = {.status = hw_command_finish(tag)};

    outcome.root = hw_command_result(0, tag);
    outcome.top = hw_command_result(1, tag);
    outcome.consumed = hw_command_result(2, tag);
    outcome.offset = hw_command_result(3, tag);
    hw_command_release(tag);
    return outcome;
}

void hw_cereal_store_written(struct hw_cereal_command *command, struct cereal_written written) {
    hw_epoch_close(command->epoch);
    command->status = written.status;
    command->at = written.at;
    command->length = written.length;
    command->pending.state = written.status == HW_STATUS_OK ? HW_PENDING_DONE : HW_PENDING_FAILED;
}

static inline void end(struct hw_pending *pending) {
    hw_pending_end(pending, HW_PENDING_DEFERRED);
    hw_thread->counted--;
}

OFTEN void hw_cereal_settle_write(struct hw_pending *pending) {
    struct hw_cereal_command *command = &((struct hw_cereal *)(void *)pending)->command;
    struct cereal_written written = take_written(command->tag);

    end(pending);
    hw_cereal_store_written(command, written);
    if (hw_cereal_is_left(written.status)) pending->state = HW_PENDING_DEFERRED;
}

void hw_cereal_store_read(struct hw_cereal_command *command, struct cereal_read outcome) {
    if (outcome.status == HW_STATUS_OK) {
        command->handle->reference = outcome.root;
        hw_reserve_commit(&command->image, outcome.top);
        command->pending.state = HW_PENDING_DONE;
        return;
    }
    hw_reserve_drop(&command->image);
    command->status = outcome.status;
    command->offset = outcome.offset;
    command->pending.state = HW_PENDING_FAILED;
}

void hw_cereal_settle_read(struct hw_pending *pending) {
    struct hw_cereal_command *command = &((struct hw_cereal *)(void *)pending)->command;
    struct cereal_read outcome = take_read(command->tag);

    end(pending);
    hw_cereal_store_read(command, outcome);
    if (hw_cereal_is_left(outcome.status)) pending->state = HW_PENDING_DEFERRED;
}

uint32_t hw_cereal_held_off, hw_cereal_others;

static bool is_ours(const struct hw_pending *pending) {
    return pending->settle == hw_cereal_settle_write || pending->settle == hw_cereal_settle_read;
}

/* Settles the thread's commands of other drivers: this command may write what they build, or build where they do. */
static void settle_others(void) {
    struct hw_thread *thread = hw_thread;

    if (!thread->begun) return;
    for (uint32_t tag = 0; tag < HW_CLUSTER_TAGS; tag++) {
        struct hw_pending *pending = thread->commands[tag];

        if (pending && !is_ours(pending)) pending->settle(pending);
    }
    thread->begun = NULL;
}

bool hw_cereal_may_begin_after(struct hw_cereal *context) {
    if (context->status != HW_STATUS_OK) return false;
    if (context->command.pending.state != HW_PENDING_NONE) return hw_cereal_fail(context, HW_STATUS_OUT_OF_TURN);
    hw_safepoint();
    settle_others();
    return true;
}

void hw_cereal_wait_for_tag(void) {
    if (!hw_thread_settled(hw_thread))
        hw_safepoint_settle();
    else
        hw_thread_yield();
}

/* Returns whether a command to write, or with `writes_alone` false any Cereal command, is in flight, of any thread. Its
 * own thread takes its outcome. */
static bool in_flight(bool writes_alone) {
    const struct hw_thread *thread = hw_thread;

    do {
        for (int32_t tag = 0; tag < HW_CLUSTER_TAGS; tag++) {
            const struct hw_pending *pending = thread->commands[tag];

            if (pending && (writes_alone ? pending->settle == hw_cereal_settle_write : is_ours(pending)) &&
                hw_command_poll(tag) == HW_WAIT_PENDING)
                return true;
        }
    } while ((thread = thread->next) != hw_thread);
    return false;
}

bool hw_cereal_units_write(void) { return in_flight(true); }

void hw_cereal_quiet(void) {
    hw_cereal_held_off++;
    while (hw_cereal_others != 0 || in_flight(false)) hw_critical_pause();
    hw_cereal_held_off--;
}
