/* Commands in flight. A safepoint settles them: it makes what the unit has built part of the heap, held by a handle,
 * before anything moves. */
#include "runtime/heap/adopt.h"
#include "runtime/schema.h"
#include "protobuf/unit.h"

/* Returns the arenas in which a command of the running thread builds; `arenas` is NULL for the managed heap. */
static struct hw_arenas *place(struct hw_arenas *arenas) { return arenas ? arenas : &hw_thread->unit; }

static void commit(struct hw_protobuf_reading *command, const struct hw_protobuf_outcome *outcome) {
    if (command->arenas) {
        command->arenas->fixed.top = outcome->fixed_top;
        command->arenas->flexible.top = outcome->flexible_top;
    } else {
        hw_adopt_commit(outcome->fixed_top, outcome->flexible_top);
    }
}

static bool again(const struct hw_protobuf_reading *command, hw_status status) {
    return hw_protobuf_left(status) ||
           (!command->arenas && (status == HW_STATUS_FIXED_ARENA_FULL || status == HW_STATUS_FLEXIBLE_ARENA_FULL));
}

/* Takes the outcome of a command that has ended. This may happen at a safepoint, so it cannot ask for room. A command
 * that must run again does so in hw_protobuf_read_end. */
static void take_outcome(struct hw_protobuf_reading *command, hw_status status) {
    struct hw_protobuf_outcome outcome = hw_protobuf_unit_take(command->tag, status);

    place(command->arenas)->in_flight = NULL;
    if (status == HW_STATUS_OK) {
        hw_pending_end(&command->pending, HW_PENDING_DONE);
        command->handle->reference = outcome.root;
        commit(command, &outcome);
    } else {
        command->handle->reference = 0;
        command->status = status;
        command->offset = outcome.offset;
        if (!command->arenas) hw_adopt_drop_large();
        hw_pending_end(&command->pending, again(command, status) ? HW_PENDING_DEFERRED : HW_PENDING_FAILED);
    }
}

void hw_protobuf_settle_read(struct hw_pending *pending) {
    struct hw_protobuf_reading *command = (struct hw_protobuf_reading *)pending;

    take_outcome(command, hw_command_finish(command->tag));
}

struct hw_pending *hw_protobuf_pending(const struct hw_arenas *arenas) {
    for (uint32_t tag = 0; tag < HW_CLUSTER_TAGS; tag++) {
        struct hw_pending *pending = hw_thread->commands[tag];

        if (pending && pending->settle == hw_protobuf_settle_read &&
            place(((struct hw_protobuf_reading *)pending)->arenas) == arenas)
            return pending;
    }
    return NULL;
}

bool hw_protobuf_read_begin_otherwise(struct hw_protobuf *context, const struct hw_type *type, const void *input,
                                      uint32_t length, struct hw_protobuf_reading *command) {
    struct hw_arenas *arenas = place(context->arenas);
    int32_t tag = HW_SUBMIT_NO_UNIT;

    if (arenas->in_flight) arenas->in_flight->settle(arenas->in_flight);
    if (context->status != HW_STATUS_OK) return false;
    if (!context->arenas) {
        if (!hw_schema.collectable) return hw_protobuf_fail(context, HW_STATUS_BAD_DESCRIPTOR, 0);
        if (!hw_protobuf_room(context, hw_protobuf_least(type, length, 0))) return false;
    }
    if (!hw_handle_room()) return hw_protobuf_fail(context, HW_STATUS_NO_HANDLE, 0);
    /* The thread's own commands may hold every tag. */
    if (context->read_by_unit)
        while ((tag = hw_protobuf_unit_try(context->limits, arenas, type, input, length)) == HW_SUBMIT_QUEUE_FULL)
            hw_safepoint_settle();
    hw_handle handle = hw_handle_new(tag >= 0 ? arenas->fixed.top : 0);

    hw_protobuf_note_read(command, context, context->arenas, type, input, length, handle);
    command->pending.state = HW_PENDING_DEFERRED;
    if (tag >= 0) hw_protobuf_fly_read(command, hw_thread, arenas, tag);
    return true;
}

static bool run_again(struct hw_protobuf_reading *command) {
    hw_scope scope = hw_scope_open();
    hw_handle handle;
    bool done = hw_protobuf_read(command->context, command->type, command->input, command->length, &handle);

    if (done) command->handle->reference = handle->reference;
    hw_scope_close(scope);
    return done;
}

hw_handle hw_protobuf_read_end_otherwise(struct hw_protobuf_reading *command) {
    if (hw_pending_in_flight(&command->pending)) hw_protobuf_settle_read(&command->pending);
    enum hw_pending_state state = hw_pending_state(&command->pending);

    command->pending.state = HW_PENDING_NONE;
    if (state == HW_PENDING_DONE || (state == HW_PENDING_DEFERRED && run_again(command))) return command->handle;
    if (state == HW_PENDING_FAILED) hw_protobuf_fail(command->context, command->status, command->offset);
    if (state == HW_PENDING_NONE) hw_protobuf_fail(command->context, HW_STATUS_OUT_OF_TURN, 0);
    return NULL;
}
