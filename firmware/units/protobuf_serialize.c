#include "units/protobuf_serialize.h"

#include "codecs/protobuf/serialize.h"
#include "runtime/heap/space.h"
#include "units/capability.h"
#include "units/command.h"
#include "units/protobuf.h"

static void init(struct hw_protobuf_output *context, uint32_t bound, uint32_t limit)
{
    *context = (struct hw_protobuf_output){
        .bound = bound,
        .limit = limit,
        .max_depth = HW_PROTOBUF_DEFAULT_DEPTH,
        .by_unit = hw_unit_count(HW_UNIT_PROTOBUF_SERIALIZER) != 0,
    };
}

void hw_protobuf_output_init(struct hw_protobuf_output *context, const struct hw_arenas *heap)
{
    const struct hw_arena *fixed = &heap->fixed, *flexible = &heap->flexible;

    init(context, fixed->base < flexible->base ? fixed->base : flexible->base,
         fixed->limit > flexible->limit ? fixed->limit : flexible->limit);
}

void hw_protobuf_output_init_heap(struct hw_protobuf_output *context)
{
    init(context, hw_space.base, hw_space.limit);
}

static bool fail(struct hw_protobuf_output *context, int status, hw_ref at)
{
    context->status = status;
    context->at = at;
    return false;
}

static __attribute__((noinline)) bool software(struct hw_protobuf_output *context, const struct hw_type *type,
                                               hw_handle message, void *buffer, uint32_t size, void **bytes,
                                               uint32_t *length)
{
    struct hw_table_output written = hw_table_serialize(type, message->reference, context->max_depth, buffer, size,
                                                        context->bound, context->limit);

    context->fallbacks++;
    if (written.status != HW_STATUS_OK)
        return fail(context, written.status, written.at);
    *bytes = written.start;
    *length = written.length;
    return true;
}

bool hw_protobuf_serialize(struct hw_protobuf_output *context, const struct hw_type *type, hw_handle message, void *buffer,
                           uint32_t size, void **bytes, uint32_t *length)
{
    uint32_t output = hw_reference(buffer), start, written, at;
    int32_t tag;
    int status;

    if (__builtin_expect(context->status != HW_STATUS_OK, 0))
        return false;
    if (__builtin_expect(!context->by_unit, 0))
        return software(context, type, message, buffer, size, bytes, length);
    do {
        hw_command_stage(0, message->reference, hw_reference(type));
        hw_command_stage(1, context->max_depth, output);
        hw_command_stage(2, output + size, context->bound);
        tag = hw_command_submit(HW_OP_PROTOBUF_SERIALIZE, context->limit, 0);
    } while (__builtin_expect(tag == HW_SUBMIT_RETRY || tag == HW_SUBMIT_QUEUE_FULL, 0));
    if (__builtin_expect(tag < 0, 0))
        return software(context, type, message, buffer, size, bytes, length);
    status = hw_command_finish(tag);
    start = hw_command_result(0, tag);
    written = hw_command_result(1, tag);
    at = hw_command_result(2, tag);
    hw_command_release(tag);
    if (__builtin_expect(status == HW_STATUS_OK, 1)) {
        *bytes = hw_pointer(start);
        *length = written;
        return true;
    }
    if (status == HW_STATUS_UNSUPPORTED)
        return software(context, type, message, buffer, size, bytes, length);
    return fail(context, status, at);
}
