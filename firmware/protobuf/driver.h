/* The driver: what the calls of protobuf/protobuf.h do when nothing is in their way. The functions named `otherwise`
 * and `failed` do everything else (protobuf.c, serialize.c, async.c), and are never inlined.
 *
 * What costs a command its cycles:
 *
 *   - A custom instruction waits until the instructions before it have left the pipeline, unless these are custom
 *     instructions as well. So everything is loaded beforehand, and custom instructions stand side by side.
 *   - A submission waits until earlier stores have drained. So what need not be stored before is stored behind it,
 *     while the unit works.
 *   - A result takes three cycles. So nothing is asked for that is known: the root is the first object of its command,
 *     where the arena's top was; the bytes of a message end where their room ends.
 */
#ifndef HW_PROTOBUF_DRIVER_H
#define HW_PROTOBUF_DRIVER_H

#include "protobuf/protobuf.h"
#include "runtime/compiler.h"
#include "units/command.h"

/* The results of the two operations, by their numbers. */
enum { HW_READ_ROOT, HW_READ_FIXED_TOP, HW_READ_FLEXIBLE_TOP, HW_READ_OFFSET };
enum { HW_WRITE_START, HW_WRITE_LENGTH, HW_WRITE_AT };

/* The whole calls, where more is to be done than a command, or a command was not taken. Those that make a handle or
 * bytes return NULL, or bytes without data, on an error. */
hw_handle hw_protobuf_read_otherwise(struct hw_protobuf *context, const struct hw_type *type, const void *input,
                                     uint32_t length);
struct hw_bytes hw_protobuf_write_otherwise(struct hw_protobuf *context, const struct hw_type *type, hw_handle message,
                                            void *output, uint32_t size);
bool hw_protobuf_read_begin_otherwise(struct hw_protobuf *context, const struct hw_type *type, const void *input,
                                      uint32_t length, struct hw_protobuf_reading *command);
hw_handle hw_protobuf_read_end_otherwise(struct hw_protobuf_reading *command);
bool hw_protobuf_write_begin_otherwise(struct hw_protobuf *context, const struct hw_type *type, hw_handle message,
                                       void *output, uint32_t size, struct hw_protobuf_writing *writing);
struct hw_bytes hw_protobuf_write_end_otherwise(struct hw_protobuf_writing *writing);

/* The calls from the wait on, where the command may not have ended, or has ended with an error. `handle` is the latest
 * one, or NULL if there was none left. */
hw_handle hw_protobuf_read_failed(struct hw_protobuf *context, const struct hw_type *type, const void *input,
                                  uint32_t length, hw_handle handle, int32_t tag);
struct hw_bytes hw_protobuf_write_failed(struct hw_protobuf *context, const struct hw_type *type, hw_handle message,
                                         void *output, uint32_t size, int32_t tag);

void hw_protobuf_clear_error(struct hw_protobuf *context);

/* Settle a command in flight, at a safepoint. */
void hw_protobuf_settle_read(struct hw_pending *pending);
void hw_protobuf_settle_write(struct hw_pending *pending);

/* Submit a command once. Return its tag, or HW_SUBMIT_*. */
ALWAYS_INLINE int32_t hw_protobuf_submit_read(uint32_t limits, const struct hw_arenas *arenas,
                                              const struct hw_type *type, const void *input, uint32_t length) {
    return hw_command_start(HW_OP_PROTOBUF_DESERIALIZE, hw_reference(input), length, hw_reference(type), limits,
                            arenas->fixed.top, arenas->fixed.limit, arenas->flexible.top, arenas->flexible.limit);
}

ALWAYS_INLINE int32_t hw_protobuf_submit_write(const struct hw_protobuf *context, const struct hw_type *type,
                                               hw_handle message, void *output, uint32_t size, uint32_t limit) {
    return hw_command_start(HW_OP_PROTOBUF_SERIALIZE, message->reference, hw_reference(type), context->max_depth,
                            hw_reference(output), hw_reference(output) + size, context->bound, limit, 0);
}

/* Takes the results of a command that has ended well, and frees its tag. */
ALWAYS_INLINE void hw_protobuf_take_read(struct hw_arenas *arenas, int32_t tag) {
    uint32_t fixed_top = hw_command_result(HW_READ_FIXED_TOP, tag);
    uint32_t flexible_top = hw_command_result(HW_READ_FLEXIBLE_TOP, tag);

    hw_command_release(tag);
    arenas->fixed.top = fixed_top;
    arenas->flexible.top = flexible_top;
}

ALWAYS_INLINE struct hw_bytes hw_protobuf_take_write(const void *output, uint32_t size, int32_t tag) {
    uint32_t start = hw_command_result(HW_WRITE_START, tag);

    hw_command_release(tag);
    return (struct hw_bytes){hw_pointer(start), hw_reference(output) + size - start};
}

/* Store what a call has made, or that it has made nothing. `result` and `bytes` never reach a function that is not
 * inlined, so that the caller's variables may be registers. */
ALWAYS_INLINE bool hw_protobuf_give_handle(hw_handle *result, hw_handle handle) {
    *result = handle;
    return handle != NULL;
}

ALWAYS_INLINE bool hw_protobuf_give_bytes(struct hw_bytes *bytes, struct hw_bytes written) {
    *bytes = written;
    return written.data != NULL;
}

ALWAYS_INLINE bool hw_protobuf_read(struct hw_protobuf *context, const struct hw_type *type, const void *input,
                                    uint32_t length, hw_handle *result) {
    struct hw_arenas *arenas = context->read_in;

    if (UNLIKELY(!arenas || arenas->in_flight))
        return hw_protobuf_give_handle(result, hw_protobuf_read_otherwise(context, type, input, length));
    hw_ref root = arenas->fixed.top;
    int32_t tag = hw_protobuf_submit_read(context->limits, arenas, type, input, length);

    if (UNLIKELY(tag < 0))
        return hw_protobuf_give_handle(result, hw_protobuf_read_otherwise(context, type, input, length));
    hw_handle handle = hw_handle_new(root);

    if (UNLIKELY(!handle || hw_command_wait(tag) != HW_STATUS_OK))
        return hw_protobuf_give_handle(result, hw_protobuf_read_failed(context, type, input, length, handle, tag));
    hw_protobuf_take_read(arenas, tag);
    *result = handle;
    return true;
}

ALWAYS_INLINE bool hw_protobuf_write(struct hw_protobuf *context, const struct hw_type *type, hw_handle message,
                                     void *output, uint32_t size, struct hw_bytes *bytes) {
    uint32_t limit = context->write_below;

    if (UNLIKELY(!limit))
        return hw_protobuf_give_bytes(bytes, hw_protobuf_write_otherwise(context, type, message, output, size));
    int32_t tag = hw_protobuf_submit_write(context, type, message, output, size, limit);

    if (UNLIKELY(tag < 0))
        return hw_protobuf_give_bytes(bytes, hw_protobuf_write_otherwise(context, type, message, output, size));
    if (UNLIKELY(hw_command_wait(tag) != HW_STATUS_OK))
        return hw_protobuf_give_bytes(bytes, hw_protobuf_write_failed(context, type, message, output, size, tag));
    *bytes = hw_protobuf_take_write(output, size, tag);
    return true;
}

/* Fills in the caller's command. `handle` belongs to the scope that is open now, wherever the command is settled.
 * `arenas` is NULL for the managed heap. */
ALWAYS_INLINE void hw_protobuf_note_read(struct hw_protobuf_reading *command, struct hw_protobuf *context,
                                         struct hw_arenas *arenas, const struct hw_type *type, const void *input,
                                         uint32_t length, hw_handle handle) {
    command->context = context;
    command->arenas = arenas;
    command->type = type;
    command->input = input;
    command->length = length;
    command->handle = handle;
}

/* Notes that a command which allocates in `arenas` is in flight. */
ALWAYS_INLINE void hw_protobuf_fly_read(struct hw_protobuf_reading *command, struct hw_thread *thread,
                                        struct hw_arenas *arenas, int32_t tag) {
    command->tag = tag;
    command->pending.settle = hw_protobuf_settle_read;
    arenas->in_flight = &command->pending;
    hw_pending_add(thread, &command->pending, tag);
}

ALWAYS_INLINE bool hw_protobuf_read_begin(struct hw_protobuf *context, const struct hw_type *type, const void *input,
                                          uint32_t length, struct hw_protobuf_reading *command) {
    struct hw_arenas *arenas = context->read_in;
    struct hw_thread *thread = hw_thread;
    hw_handle handle = thread->handles.next, end = thread->handles.limit;

    if (UNLIKELY(!arenas || arenas->in_flight || handle == end))
        return hw_protobuf_read_begin_otherwise(context, type, input, length, command);
    hw_ref root = arenas->fixed.top;
    int32_t tag = hw_protobuf_submit_read(context->limits, arenas, type, input, length);

    if (UNLIKELY(tag < 0)) return hw_protobuf_read_begin_otherwise(context, type, input, length, command);
    thread->handles.next = handle + 1;
    handle->reference = root;
    hw_protobuf_note_read(command, context, arenas, type, input, length, handle);
    hw_protobuf_fly_read(command, thread, arenas, tag);
    return true;
}

ALWAYS_INLINE bool hw_protobuf_read_end(struct hw_protobuf_reading *command, hw_handle *result) {
    struct hw_pending **place = command->pending.place;
    struct hw_arenas *arenas = command->arenas;
    int32_t tag = command->tag;

    if (UNLIKELY(!hw_pending_in_flight(&command->pending) || !arenas || hw_command_wait(tag) != HW_STATUS_OK))
        return hw_protobuf_give_handle(result, hw_protobuf_read_end_otherwise(command));
    hw_protobuf_take_read(arenas, tag);
    arenas->in_flight = NULL;
    hw_pending_end_at(place, &command->pending, HW_PENDING_NONE);
    *result = command->handle;
    return true;
}

ALWAYS_INLINE void hw_protobuf_note_write(struct hw_protobuf_writing *writing, struct hw_protobuf *context,
                                          const struct hw_type *type, hw_handle message, void *output, uint32_t size) {
    writing->context = context;
    writing->type = type;
    writing->message = message;
    writing->output = output;
    writing->size = size;
}

ALWAYS_INLINE void hw_protobuf_fly_write(struct hw_protobuf_writing *writing, int32_t tag) {
    writing->tag = tag;
    writing->pending.settle = hw_protobuf_settle_write;
    hw_pending_add(hw_thread, &writing->pending, tag);
}

ALWAYS_INLINE bool hw_protobuf_write_begin(struct hw_protobuf *context, const struct hw_type *type, hw_handle message,
                                           void *output, uint32_t size, struct hw_protobuf_writing *writing) {
    uint32_t limit = context->write_below;

    if (UNLIKELY(!limit)) return hw_protobuf_write_begin_otherwise(context, type, message, output, size, writing);
    int32_t tag = hw_protobuf_submit_write(context, type, message, output, size, limit);

    if (UNLIKELY(tag < 0)) return hw_protobuf_write_begin_otherwise(context, type, message, output, size, writing);
    hw_protobuf_note_write(writing, context, type, message, output, size);
    hw_protobuf_fly_write(writing, tag);
    return true;
}

ALWAYS_INLINE bool hw_protobuf_write_end(struct hw_protobuf_writing *writing, struct hw_bytes *bytes) {
    struct hw_pending **place = writing->pending.place;
    const void *output = writing->output;
    uint32_t size = writing->size;
    int32_t tag = writing->tag;

    if (UNLIKELY(!hw_pending_in_flight(&writing->pending) || hw_command_wait(tag) != HW_STATUS_OK))
        return hw_protobuf_give_bytes(bytes, hw_protobuf_write_end_otherwise(writing));
    *bytes = hw_protobuf_take_write(output, size, tag);
    hw_pending_end_at(place, &writing->pending, HW_PENDING_NONE);
    return true;
}

ALWAYS_INLINE void hw_protobuf_clear(struct hw_protobuf *context) {
    if (UNLIKELY(!context->write_below)) hw_protobuf_clear_error(context);
}

#endif
