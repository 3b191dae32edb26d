
#include "protobuf/codec/codec.h"
#include "runtime/heap/safepoint.h"
#include "protobuf/unit.h"

/* Submits the command as soon as there is room; the thread's own commands may hold every tag. Returns its tag, or
 * HW_SUBMIT_NO_UNIT. */
static int32_t submit(const struct hw_protobuf *context, const struct hw_type *type, hw_handle message, void *output,
                      uint32_t size) {
    int32_t tag = HW_SUBMIT_RETRY;

    if (!context->written_by_unit) return HW_SUBMIT_NO_UNIT;
    while (tag == HW_SUBMIT_RETRY || tag == HW_SUBMIT_QUEUE_FULL) {
        if (tag == HW_SUBMIT_QUEUE_FULL) hw_safepoint_settle();
        tag = hw_protobuf_submit_write(context, type, message, output, size, context->limit);
    }
    return tag;
}

/* Returns whether software must serialize the message. The unit declines some messages that are valid; the
 * codec decides exactly. */
static inline bool left_to_software(hw_status status) { return status == HW_STATUS_UNSUPPORTED; }

static struct hw_bytes fail(struct hw_protobuf *context, hw_status status, uint32_t at) {
    hw_protobuf_fail(context, status, at);
    return (struct hw_bytes){0};
}

static struct hw_bytes by_software(struct hw_protobuf *context, const struct hw_type *type, hw_handle message,
                                   void *output, uint32_t size) {
    struct hw_protobuf_codec_bytes encoded =
        hw_protobuf_codec_write(type, hw_reference(hw_handle_object(message)), context->max_depth, output, size,
                                context->bound, context->limit);

    context->fallbacks++;
    if (encoded.status != HW_STATUS_OK) return fail(context, encoded.status, encoded.at);
    return (struct hw_bytes){encoded.start, encoded.length};
}

struct hw_bytes hw_protobuf_write_failed(struct hw_protobuf *context, const struct hw_type *type, hw_handle message,
                                         void *output, uint32_t size, int32_t tag) {
    hw_status status = hw_command_finish(tag);
    uint32_t start = hw_command_result(HW_WRITE_START, tag), length = hw_command_result(HW_WRITE_LENGTH, tag);
    uint32_t at = hw_command_result(HW_WRITE_AT, tag);

    hw_command_release(tag);
    if (left_to_software(status)) return by_software(context, type, message, output, size);
    if (status != HW_STATUS_OK) return fail(context, status, at);
    return (struct hw_bytes){hw_pointer(start), length};
}

struct hw_bytes hw_protobuf_write_otherwise(struct hw_protobuf *context, const struct hw_type *type, hw_handle message,
                                            void *output, uint32_t size) {
    if (context->status != HW_STATUS_OK) return (struct hw_bytes){0};
    int32_t tag = submit(context, type, message, output, size);

    if (tag < 0) return by_software(context, type, message, output, size);
    return hw_protobuf_write_failed(context, type, message, output, size, tag);
}

static void take_outcome(struct hw_protobuf_writing *writing, hw_status status) {
    writing->status = status;
    writing->start = hw_command_result(HW_WRITE_START, writing->tag);
    writing->length = hw_command_result(HW_WRITE_LENGTH, writing->tag);
    writing->at = hw_command_result(HW_WRITE_AT, writing->tag);
    hw_command_release(writing->tag);
    hw_pending_end(&writing->pending, status == HW_STATUS_OK     ? HW_PENDING_DONE
                                      : left_to_software(status) ? HW_PENDING_DEFERRED
                                                                 : HW_PENDING_FAILED);
}

void hw_protobuf_settle_write(struct hw_pending *pending) {
    struct hw_protobuf_writing *writing = (struct hw_protobuf_writing *)pending;

    take_outcome(writing, hw_command_finish(writing->tag));
}

bool hw_protobuf_write_begin_otherwise(struct hw_protobuf *context, const struct hw_type *type, hw_handle message,
                                       void *output, uint32_t size, struct hw_protobuf_writing *writing) {
    if (context->status != HW_STATUS_OK) return false;
    int32_t tag = submit(context, type, message, output, size);

    hw_protobuf_note_write(writing, context, type, message, output, size);
    writing->pending.state = HW_PENDING_DEFERRED;
    if (tag >= 0) hw_protobuf_fly_write(writing, tag);
    return true;
}

struct hw_bytes hw_protobuf_write_end_otherwise(struct hw_protobuf_writing *writing) {
    if (hw_pending_in_flight(&writing->pending)) hw_protobuf_settle_write(&writing->pending);
    enum hw_pending_state state = hw_pending_state(&writing->pending);

    writing->pending.state = HW_PENDING_NONE;
    if (state == HW_PENDING_DONE) return (struct hw_bytes){hw_pointer(writing->start), writing->length};
    if (state == HW_PENDING_DEFERRED)
        return by_software(writing->context, writing->type, writing->message, writing->output, writing->size);
    if (state == HW_PENDING_FAILED) return fail(writing->context, writing->status, writing->at);
    return fail(writing->context, HW_STATUS_OUT_OF_TURN, 0);
}
