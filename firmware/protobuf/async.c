/* Commands in flight. A safepoint settles them: it makes what the unit has built part of the heap, held by a handle,
 * before anything moves. */
#include "runtime/heap/adopt.h"
#include "runtime/schema.h"
#include "protobuf/unit.h"

static inline struct hw_arenas *arenas_of(const struct hw_protobuf *context) {
    return context->arenas ? context->arenas : &hw_thread->unit;
}

static inline bool in_heap(const struct hw_arenas *arenas) { return arenas == &hw_thread->unit; }

static void commit(struct hw_protobuf_reading *command, const struct hw_protobuf_outcome *outcome) {
    if (in_heap(command->arenas)) {
        hw_adopt_commit(outcome->fixed_top, outcome->flexible_top);
    } else {
        command->arenas->fixed.top = outcome->fixed_top;
        command->arenas->flexible.top = outcome->flexible_top;
    }
}

static bool again(const struct hw_protobuf_reading *command, hw_status status) {
    return hw_protobuf_left(status) || (in_heap(command->arenas) && (status == HW_STATUS_FIXED_ARENA_FULL ||
                                                                     status == HW_STATUS_FLEXIBLE_ARENA_FULL));
}

/* Takes the outcome of a command that has ended. This may happen at a safepoint, so it cannot ask for room. A command
 * that must run again does so in hw_protobuf_read_end. */
static inline void take_outcome(struct hw_protobuf_reading *command, hw_status status) {
    struct hw_protobuf_outcome outcome = hw_protobuf_unit_take(command->tag, status);

    hw_pending_remove(&command->pending);
    command->arenas->in_flight = NULL;
    if (__builtin_expect(status == HW_STATUS_OK, 1)) {
        command->state = HW_PENDING_DONE;
        command->handle->reference = outcome.root;
        commit(command, &outcome);
    } else {
        command->status = status;
        command->offset = outcome.offset;
        if (in_heap(command->arenas)) hw_adopt_drop_large();
        command->state = again(command, status) ? HW_PENDING_DEFERRED : HW_PENDING_FAILED;
    }
}

static void settle(struct hw_pending *pending) {
    struct hw_protobuf_reading *command = (struct hw_protobuf_reading *)pending;

    take_outcome(command, hw_command_finish(command->tag));
}

struct hw_pending *hw_protobuf_pending(const struct hw_arenas *arenas) {
    struct hw_pending *pending = hw_thread->pending;

    while (pending && !(pending->settle == settle && ((struct hw_protobuf_reading *)pending)->arenas == arenas))
        pending = pending->next;
    return pending;
}

/* Fills in the caller's command, whose tag is `tag`, or negative if nothing was submitted. These stores come after the
 * submission, because it waits until earlier stores have drained. Now they drain while the unit works. */
static inline void record(struct hw_protobuf *context, const struct hw_type *type, const void *input, uint32_t length,
                          struct hw_arenas *arenas, int32_t tag, struct hw_protobuf_reading *command) {
    command->context = context;
    command->arenas = arenas;
    command->type = type;
    command->input = input;
    command->length = length;
    command->handle = hw_handle_new(0); /* belongs to the scope that is open now, wherever the command is settled */
    command->state = HW_PENDING_DEFERRED;
    if (__builtin_expect(tag >= 0, 1)) {
        command->tag = tag;
        command->state = HW_PENDING_IN_FLIGHT;
        command->pending.settle = settle;
        arenas->in_flight = &command->pending;
        hw_pending_add(&command->pending);
    }
}

static __attribute__((noinline)) bool submit_slowly(struct hw_protobuf *context, const struct hw_type *type,
                                                    const void *input, uint32_t length,
                                                    struct hw_protobuf_reading *command) {
    struct hw_arenas *arenas = arenas_of(context);
    int32_t tag = HW_SUBMIT_NO_UNIT;

    if (arenas->in_flight) arenas->in_flight->settle(arenas->in_flight);
    if (context->status != HW_STATUS_OK) return false;
    if (in_heap(arenas)) {
        if (!hw_schema.collectable) return hw_protobuf_fail(context, HW_STATUS_BAD_DESCRIPTOR, 0);
        if (!hw_protobuf_room(context, hw_protobuf_least(type, length))) return false;
    }
    if (!hw_handle_left()) {
        hw_exception_raise(HW_OUT_OF_HANDLES);
        return hw_protobuf_fail(context, HW_STATUS_NO_HANDLE, 0);
    }
    /* The thread's own commands may hold every tag. */
    if (context->read_by_unit)
        while ((tag = hw_protobuf_unit_try(context->max_depth, arenas, type, input, length)) == HW_SUBMIT_QUEUE_FULL)
            hw_safepoint_settle();
    record(context, type, input, length, arenas, tag, command);
    return true;
}

/* The common path calls nothing, so it has no stack frame: stores to a frame would have to drain before the command
 * starts. */
bool hw_protobuf_read_begin(struct hw_protobuf *context, const struct hw_type *type, const void *input, uint32_t length,
                            struct hw_protobuf_reading *command) {
    struct hw_arenas *arenas = context->arenas;

    if (__builtin_expect(!context->read_by_unit || !arenas || arenas->in_flight || context->status != HW_STATUS_OK ||
                             !hw_handle_left(),
                         0))
        return submit_slowly(context, type, input, length, command);
    int32_t tag = hw_protobuf_unit_try(context->max_depth, arenas, type, input, length);

    if (__builtin_expect(tag < 0, 0)) return submit_slowly(context, type, input, length, command);
    record(context, type, input, length, arenas, tag, command);
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

/* Finishes a command that has been settled. */
static __attribute__((noinline)) bool finish_settled(struct hw_protobuf_reading *command, hw_handle *result) {
    if (command->state == HW_PENDING_FAILED)
        return hw_protobuf_fail(command->context, command->status, command->offset);
    if (command->state == HW_PENDING_DEFERRED && !run_again(command)) return false;
    command->state = HW_PENDING_DONE;
    *result = command->handle;
    return true;
}

static __attribute__((noinline)) bool finish_slowly(struct hw_protobuf_reading *command, hw_status status,
                                                    hw_handle *result) {
    take_outcome(command, status);
    return finish_settled(command, result);
}

bool hw_protobuf_read_end(struct hw_protobuf_reading *command, hw_handle *result) {
    if (__builtin_expect(command->state != HW_PENDING_IN_FLIGHT, 0)) return finish_settled(command, result);
    hw_status status = hw_command_finish(command->tag);

    if (__builtin_expect(status != HW_STATUS_OK || in_heap(command->arenas), 0))
        return finish_slowly(command, status, result);
    take_outcome(command, HW_STATUS_OK);
    *result = command->handle;
    return true;
}
