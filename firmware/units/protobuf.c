#include "units/protobuf.h"

#include "codecs/protobuf/deserialize.h"
#include "units/capability.h"
#include "units/command.h"

void hw_protobuf_init(struct hw_protobuf *context, struct hw_arenas *heap)
{
    *context = (struct hw_protobuf){
        .heap = heap,
        .max_depth = HW_PROTOBUF_DEFAULT_DEPTH,
        .unit = hw_unit_count(HW_UNIT_PROTOBUF_DESERIALIZER) != 0,
    };
}

static bool fail(struct hw_protobuf *context, int status, uint32_t offset)
{
    context->status = status;
    context->offset = offset;
    return false;
}

static bool succeed(struct hw_protobuf *context, hw_ref root, uint32_t fixed_top, uint32_t flexible_top, hw_handle *result)
{
    hw_handle handle = hw_handle_new(root);

    if (!handle)
        return fail(context, HW_PROTOBUF_NO_HANDLE, 0);
    context->heap->fixed.top = fixed_top;
    context->heap->flexible.top = flexible_top;
    *result = handle;
    return true;
}

static __attribute__((noinline)) bool in_software(struct hw_protobuf *context, const struct hw_type *type,
                                                  const void *input, uint32_t length, hw_handle *result)
{
    struct hw_arenas heap = *context->heap;
    struct hw_table_result decoded = hw_table_deserialize(type, input, length, context->max_depth, &heap);

    context->fallbacks++;
    if (decoded.status != HW_STATUS_OK)
        return fail(context, decoded.status, decoded.offset);
    return succeed(context, decoded.root, heap.fixed.top, heap.flexible.top, result);
}

bool hw_protobuf_deserialize(struct hw_protobuf *context, const struct hw_type *type, const void *input, uint32_t length,
                             hw_handle *result)
{
    const struct hw_arenas *heap = context->heap;
    int32_t tag, status;

    if (__builtin_expect(context->status != HW_STATUS_OK, 0))
        return false;
    if (__builtin_expect(!context->unit, 0))
        return in_software(context, type, input, length, result);
    do {
        hw_command_stage(0, hw_reference(input), length);
        hw_command_stage(1, hw_reference(type), context->max_depth);
        hw_command_stage(2, heap->fixed.top, heap->fixed.limit);
        tag = hw_command_submit(HW_OP_PROTOBUF_DESERIALIZE, heap->flexible.top, heap->flexible.limit);
    } while (__builtin_expect(tag == HW_SUBMIT_RETRY || tag == HW_SUBMIT_QUEUE_FULL, 0));
    if (__builtin_expect(tag < 0, 0))
        return in_software(context, type, input, length, result);

    status = hw_command_finish(tag);
    hw_ref root = hw_command_result(0, tag);
    uint32_t fixed_top = hw_command_result(1, tag);
    uint32_t flexible_top = hw_command_result(2, tag);
    uint32_t offset = hw_command_result(3, tag);
    hw_command_release(tag);

    if (__builtin_expect(status == HW_STATUS_OK, 1))
        return succeed(context, root, fixed_top, flexible_top, result);
    if (status == HW_STATUS_UNSUPPORTED)
        return in_software(context, type, input, length, result);
    return fail(context, status, offset);
}
