/* Whole messages between wire and managed heap: a command, if nothing is in its way; the driver's calls otherwise. */
#include <string.h>

#include "protobuf/messages/messages.h"
#include "protobuf/unit.h"
#include "runtime/heap/adopt.h"
#include "units/capability.h"

uint32_t hw_message_fallbacks;

/* Returns whether the driver's call was without an error; else that is the thread's. */
static bool done(const struct hw_protobuf *context, bool with_offset) {
    hw_message_fallbacks += context->fallbacks;
    if (context->status == HW_STATUS_OK) return true;
    hw_error_raise_at(context->status, with_offset ? context->offset : HW_ERROR_NOWHERE);
    return false;
}

static COLD_CALL hw_handle read_otherwise(const struct hw_type *type, const void *input, uint32_t length) {
    struct hw_protobuf context;

    hw_protobuf_open_heap(&context);
    hw_handle handle = hw_protobuf_read_otherwise(&context, type, input, length);

    return done(&context, context.status < HW_STATUS_FIXED_ARENA_FULL) ? handle : NULL;
}

/* After a command that has not ended, or not well. */
static COLD_CALL hw_handle finish(const struct hw_type *type, const void *input, uint32_t length,
                                  struct hw_protobuf_begun begun) {
    struct hw_protobuf_outcome outcome = hw_protobuf_unit_end(begun.tag);

    if (outcome.status == HW_STATUS_OK) {
        hw_adopt_commit(outcome.fixed_top, outcome.flexible_top);
        return begun.handle;
    }
    hw_handle_drop_latest();
    return read_otherwise(type, input, length); /* finds the error again, or what helps */
}

OFTEN hw_handle hw_message_read(const struct hw_message_info *info, const void *input, uint32_t length) {
    const struct hw_type *type = hw_message_type_of(info);

    if (UNLIKELY(!type)) return NULL;
    if (UNLIKELY(!hw_unit_for(HW_CAPABLE_PROTOBUF_DESERIALIZE) || !hw_protobuf_ready_in_heap(type, length)))
        return read_otherwise(type, input, length);
    struct hw_protobuf_begun begun = hw_protobuf_begin_in_heap(HW_PROTOBUF_DEFAULT_DEPTH, type, input, length);

    if (UNLIKELY(begun.tag < 0)) return read_otherwise(type, input, length);
    if (UNLIKELY(hw_command_wait(begun.tag) != HW_STATUS_OK)) return finish(type, input, length, begun);
    return hw_protobuf_take_in_heap(begun);
}

static COLD_CALL bool write_otherwise(const struct hw_type *type, hw_handle message, void *output, uint32_t size,
                                      struct hw_bytes *written) {
    struct hw_protobuf context;

    hw_protobuf_open_heap(&context);
    *written = hw_protobuf_write_otherwise(&context, type, message, output, size);
    return done(&context, false);
}

/* Of a message in the arenas in force. */
static COLD_CALL bool write_outside(const struct hw_type *type, hw_handle message, void *output, uint32_t size,
                                    struct hw_bytes *written) {
    struct hw_protobuf context;

    if (!hw_thread->arenas) {
        hw_error_raise(HW_STATUS_OTHER_MEMORY);
        return false;
    }
    hw_protobuf_open(&context, hw_thread->arenas);
    *written = hw_protobuf_write_otherwise(&context, type, message, output, size);
    return done(&context, false);
}

OFTEN bool hw_message_write_to_end(hw_handle message, const struct hw_message_info *info, void *output, uint32_t size,
                                   struct hw_bytes *written) {
    const struct hw_type *type = hw_message_type_of(info);

    if (UNLIKELY(!type || !hw_object_there(message))) return false;
    if (UNLIKELY(!hw_object_in_heap(message->reference))) return write_outside(type, message, output, size, written);
    if (UNLIKELY(!hw_unit_for(HW_CAPABLE_PROTOBUF_SERIALIZE)))
        return write_otherwise(type, message, output, size, written);
    const struct hw_protobuf context = {
        .max_depth = HW_PROTOBUF_DEFAULT_DEPTH, .bound = hw_space.base, .limit = hw_space.limit};
    int32_t tag = hw_protobuf_submit_write(&context, type, message, output, size, context.limit);

    if (UNLIKELY(tag < 0)) return write_otherwise(type, message, output, size, written);
    if (UNLIKELY(hw_command_wait(tag) != HW_STATUS_OK)) {
        hw_command_finish(tag);
        hw_command_release(tag);
        return write_otherwise(type, message, output, size, written);
    }
    *written = hw_protobuf_take_write(output, size, tag);
    return true;
}

uint32_t hw_message_write(hw_handle message, const struct hw_message_info *info, void *output, uint32_t size) {
    struct hw_bytes written;

    if (!hw_message_write_to_end(message, info, output, size, &written)) return 0;
    memmove(output, written.data, written.length);
    return written.length;
}
