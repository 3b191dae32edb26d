
#include "protobuf/codec/codec.h"
#include "runtime/heap/safepoint.h"
#include "protobuf/unit.h"

/* Submits the command. Returns its tag, HW_SUBMIT_NO_UNIT or HW_SUBMIT_QUEUE_FULL. */
static inline int32_t attempt(const struct hw_protobuf *context, const struct hw_type *type, hw_ref object,
                              uint32_t output, uint32_t size) {
    int32_t tag;

    do {
        tag = hw_command_start(HW_OP_PROTOBUF_SERIALIZE, object, hw_reference(type), context->max_depth, output,
                               output + size, context->bound, context->limit, 0);
    } while (__builtin_expect(tag == HW_SUBMIT_RETRY, 0));
    return tag;
}

/* Returns whether software must serialize the message. The unit declines some messages that are valid; the
 * codec decides exactly. */
static inline bool left_to_software(hw_status status) { return status == HW_STATUS_UNSUPPORTED; }

static __attribute__((noinline)) bool by_software(struct hw_protobuf *context, const struct hw_type *type,
                                                  hw_handle message, void *output, uint32_t size,
                                                  struct hw_bytes *bytes) {
    struct hw_protobuf_codec_bytes encoded =
        hw_protobuf_codec_write(type, hw_reference(hw_handle_object(message)), context->max_depth, output, size,
                                context->bound, context->limit);

    context->fallbacks++;
    if (encoded.status != HW_STATUS_OK) return hw_protobuf_fail(context, encoded.status, encoded.at);
    *bytes = (struct hw_bytes){encoded.start, encoded.length};
    return true;
}

/* A function of its own, so that the common path has no stack frame: stores to a frame would have to drain before the
 * command starts. */
static __attribute__((noinline)) bool after_pending(struct hw_protobuf *context, const struct hw_type *type,
                                                    hw_handle message, void *output, uint32_t size,
                                                    struct hw_bytes *bytes) {
    hw_safepoint_settle();
    return hw_protobuf_write(context, type, message, output, size, bytes);
}

bool hw_protobuf_write(struct hw_protobuf *context, const struct hw_type *type, hw_handle message, void *output,
                       uint32_t size, struct hw_bytes *bytes) {
    if (__builtin_expect(context->status != HW_STATUS_OK, 0)) return false;
    int32_t tag;

    if (__builtin_expect(hw_thread->pending != NULL, 0))
        return after_pending(context, type, message, output, size, bytes);
    if (__builtin_expect(!context->written_by_unit, 0)) return by_software(context, type, message, output, size, bytes);
    do tag = attempt(context, type, hw_reference(hw_handle_object(message)), hw_reference(output), size);
    while (__builtin_expect(tag == HW_SUBMIT_QUEUE_FULL, 0));
    if (__builtin_expect(tag < 0, 0)) return by_software(context, type, message, output, size, bytes);
    int32_t status = hw_command_finish(tag);
    uint32_t start = hw_command_result(0, tag), length = hw_command_result(1, tag), at = hw_command_result(2, tag);

    hw_command_release(tag);
    if (__builtin_expect(status == HW_STATUS_OK, 1)) {
        *bytes = (struct hw_bytes){hw_pointer(start), length};
        return true;
    }
    if (left_to_software(status)) return by_software(context, type, message, output, size, bytes);
    return hw_protobuf_fail(context, status, at);
}

static inline void take_outcome(struct hw_protobuf_writing *writing, hw_status status) {
    writing->status = status;
    writing->start = hw_command_result(0, writing->tag);
    writing->length = hw_command_result(1, writing->tag);
    writing->at = hw_command_result(2, writing->tag);
    hw_command_release(writing->tag);
    writing->state = status == HW_STATUS_OK     ? HW_PENDING_DONE
                     : left_to_software(status) ? HW_PENDING_DEFERRED
                                                : HW_PENDING_FAILED;
    hw_pending_remove(&writing->pending);
}

static void settle(struct hw_pending *pending) {
    struct hw_protobuf_writing *writing = (struct hw_protobuf_writing *)pending;

    take_outcome(writing, hw_command_finish(writing->tag));
}

/* See record() in async.c. */
static inline void record(struct hw_protobuf *context, const struct hw_type *type, hw_handle message, void *output,
                          uint32_t size, int32_t tag, struct hw_protobuf_writing *writing) {
    writing->context = context;
    writing->type = type;
    writing->message = message;
    writing->output = output;
    writing->size = size;
    writing->state = HW_PENDING_DEFERRED;
    if (__builtin_expect(tag >= 0, 1)) {
        writing->tag = tag;
        writing->state = HW_PENDING_IN_FLIGHT;
        writing->pending.settle = settle;
        hw_pending_add(&writing->pending);
    }
}

static __attribute__((noinline)) bool submit_slowly(struct hw_protobuf *context, const struct hw_type *type,
                                                    hw_handle message, void *output, uint32_t size,
                                                    struct hw_protobuf_writing *writing) {
    int32_t tag = HW_SUBMIT_NO_UNIT;

    if (context->status != HW_STATUS_OK) return false;
    /* The thread's own commands may hold every tag. */
    if (context->written_by_unit)
        while ((tag = attempt(context, type, hw_reference(hw_handle_object(message)), hw_reference(output), size)) ==
               HW_SUBMIT_QUEUE_FULL)
            hw_safepoint_settle();
    record(context, type, message, output, size, tag, writing);
    return true;
}

/* The common path calls nothing, like that of hw_protobuf_read_begin. */
bool hw_protobuf_write_begin(struct hw_protobuf *context, const struct hw_type *type, hw_handle message, void *output,
                             uint32_t size, struct hw_protobuf_writing *writing) {
    if (__builtin_expect(context->status != HW_STATUS_OK || !context->written_by_unit, 0))
        return submit_slowly(context, type, message, output, size, writing);
    int32_t tag = attempt(context, type, hw_reference(hw_handle_object(message)), hw_reference(output), size);

    if (__builtin_expect(tag < 0, 0)) return submit_slowly(context, type, message, output, size, writing);
    record(context, type, message, output, size, tag, writing);
    return true;
}

static bool finish_settled(struct hw_protobuf_writing *writing, struct hw_bytes *bytes) {
    if (writing->state == HW_PENDING_DEFERRED)
        return by_software(writing->context, writing->type, writing->message, writing->output, writing->size, bytes);
    if (writing->state == HW_PENDING_FAILED) return hw_protobuf_fail(writing->context, writing->status, writing->at);
    *bytes = (struct hw_bytes){hw_pointer(writing->start), writing->length};
    return true;
}

bool hw_protobuf_write_end(struct hw_protobuf_writing *writing, struct hw_bytes *bytes) {
    if (writing->state == HW_PENDING_IN_FLIGHT) take_outcome(writing, hw_command_finish(writing->tag));
    return finish_settled(writing, bytes);
}
