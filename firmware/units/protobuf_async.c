/* Commands in flight: a safepoint settles them, so that what the unit has built is
 * the heap's, and held by a handle, before anything moves. */
#include "runtime/heap/adopt.h"
#include "runtime/heap/safepoint.h"
#include "units/protobuf_unit.h"

static void unlink_pending(struct hw_pending *pending)
{
    struct hw_pending **link = &hw_thread->pending;

    while (*link != pending)
        link = &(*link)->next;
    *link = pending->next;
}

static void commit(struct hw_protobuf *context, const struct hw_protobuf_outcome *outcome)
{
    if (context->managed) {
        hw_adopt_commit(outcome->fixed_top, outcome->flexible_top);
    } else {
        context->heap->fixed.top = outcome->fixed_top;
        context->heap->flexible.top = outcome->flexible_top;
    }
}

static bool again(const struct hw_protobuf *context, int status)
{
    return hw_protobuf_left(status) ||
           (context->managed && (status == HW_STATUS_FIXED_ARENA_FULL || status == HW_STATUS_FLEXIBLE_ARENA_FULL));
}

/* At a safepoint, so it cannot ask for room: what has to run again does so in hw_protobuf_finish. */
static void settle(struct hw_pending *pending)
{
    struct hw_protobuf_command *command = (struct hw_protobuf_command *)pending;
    struct hw_protobuf_outcome outcome = hw_protobuf_end(command->tag);

    unlink_pending(pending);
    command->status = outcome.status;
    command->offset = outcome.offset;
    if (outcome.status == HW_STATUS_OK) {
        command->state = HW_PROTOBUF_DONE;
        command->handle->reference = outcome.root;
        commit(command->context, &outcome);
    } else {
        hw_adopt_drop_large();
        command->state = again(command->context, outcome.status) ? HW_PROTOBUF_DEFERRED : HW_PROTOBUF_FAILED;
    }
}

bool hw_protobuf_submit(struct hw_protobuf *context, const struct hw_type *type, const void *input, uint32_t length,
                        struct hw_protobuf_command *command)
{
    hw_safepoint_settle();
    if (context->status != HW_STATUS_OK)
        return false;
    if (context->managed && !hw_protobuf_room(context, hw_protobuf_least(type, length)))
        return false;
    hw_handle handle = hw_handle_new(0); /* of the scope that is open now, wherever it is settled */

    if (!handle) {
        hw_exception_raise(HW_OUT_OF_HANDLES);
        return hw_protobuf_fail(context, HW_PROTOBUF_NO_HANDLE, 0);
    }
    *command = (struct hw_protobuf_command){
        .pending = {.next = hw_thread->pending, .settle = settle},
        .context = context,
        .type = type,
        .input = input,
        .length = length,
        .handle = handle,
        .state = HW_PROTOBUF_DEFERRED,
    };
    if (!context->by_unit)
        return true;
    command->tag = hw_protobuf_begin(context->max_depth, context->managed ? &hw_thread->unit : context->heap, type, input, length);
    if (command->tag >= 0) {
        command->state = HW_PROTOBUF_IN_FLIGHT;
        hw_thread->pending = &command->pending;
    }
    return true;
}

static bool run_again(struct hw_protobuf_command *command)
{
    hw_scope scope = hw_scope_open();
    hw_handle handle;
    bool done = hw_protobuf_deserialize(command->context, command->type, command->input, command->length, &handle);

    if (done)
        command->handle->reference = handle->reference;
    hw_scope_close(scope);
    return done;
}

bool hw_protobuf_finish(struct hw_protobuf_command *command, hw_handle *result)
{
    if (command->state == HW_PROTOBUF_IN_FLIGHT)
        settle(&command->pending);
    if (command->state == HW_PROTOBUF_FAILED)
        return hw_protobuf_fail(command->context, command->status, command->offset);
    if (command->state == HW_PROTOBUF_DEFERRED && !run_again(command))
        return false;
    command->state = HW_PROTOBUF_DONE;
    *result = command->handle;
    return true;
}
