/* ReadObject: each image is built in a piece of the heap of its own, and joins the heap when it is complete. */
#include "cereal/flight.h"

static bool fail(struct hw_cereal *context, hw_status status, uint32_t offset) {
    if (context->status == HW_STATUS_OK) context->offset = offset / 16 * 16;
    return hw_cereal_fail(context, status);
}

/* Fetches the whole stream, provided that its header is sound. Returns what cereal_check_header finds. */
static struct cereal_read fetch(struct hw_cereal_input *input) {
    uint32_t bytes = sizeof(struct cereal_header);
    struct cereal_read found;

    if ((uintptr_t)input->at % HW_CEREAL_ALIGNMENT != 0) return (struct cereal_read){.status = HW_STATUS_BAD_ALIGNMENT};
    if ((size_t)(input->limit - input->at) < bytes && !(input->fetch && input->fetch(input, bytes)))
        return (struct cereal_read){.status = HW_STATUS_BAD_STREAM};
    /* Checks all of the header but the length. A sound header has a length that fits into 32 bits. */
    found = cereal_check_header(input->at, UINT32_MAX);
    if (found.status != HW_STATUS_OK || (size_t)(input->limit - input->at) >= found.consumed) return found;
    if (input->fetch && input->fetch(input, found.consumed)) return found;
    return cereal_check_header(input->at, (uint32_t)(input->limit - input->at));
}

/* Takes room for the image as its header declares. Returns false with an error in the context. */
static bool reserve(struct hw_cereal *context, const struct hw_cereal_input *input) {
    const struct cereal_header *header = (const void *)input->at;

    return hw_reserve_take(&context->command.image, cereal_image_bytes(header)) ||
           hw_cereal_fail(context, hw_heap_full);
}

/* Submits a command to a unit. Returns its tag, HW_SUBMIT_NO_UNIT or HW_SUBMIT_QUEUE_FULL. */
static inline int32_t submit(const void *input, uint32_t length, const struct hw_reserve *image, void *work,
                             uint32_t work_bytes) {
    uint32_t area = hw_reference(work);
    int32_t tag;

    do {
        tag = hw_command_start(HW_OP_CEREAL_READ_OBJECT, hw_reference(input), length, image->start, image->limit, area,
                               area + work_bytes, 0, 0);
    } while (tag == HW_SUBMIT_RETRY);
    return tag;
}

/* No other thread runs between the submission and the moment at which the command is visible to other threads. */
static int32_t try_submit(struct hw_cereal *context, const struct hw_cereal_input *input) {
    struct hw_cereal_command *command = &context->command;
    int32_t tag = HW_SUBMIT_QUEUE_FULL;

    hw_critical_enter();
    if (!hw_cereal_held_off)
        tag = submit(input->at, command->length, &command->image, context->work, context->work_bytes);
    if (tag >= 0) hw_cereal_fly(command, tag, hw_cereal_settle_read);
    hw_critical_leave();
    return tag;
}

/* Submits the command to a unit, if one accepts it. */
static void submit_until_taken(struct hw_cereal *context, const struct hw_cereal_input *input) {
    int32_t tag;

    while ((tag = try_submit(context, input)) == HW_SUBMIT_QUEUE_FULL) hw_cereal_wait_for_tag();
    if (tag < 0) hw_reserve_drop(&context->command.image);
}

bool hw_cereal_read_begin(struct hw_cereal *context, struct hw_cereal_input *input) {
    struct hw_cereal_command *command = &context->command;

    if (!hw_cereal_may_begin(context)) return false;
    struct cereal_read found = fetch(input);

    if (found.status != HW_STATUS_OK) return fail(context, found.status, found.offset);
    if (!hw_handle_room()) return hw_cereal_fail(context, HW_STATUS_NO_HANDLE);
    if (context->read_by_unit && !reserve(context, input)) return false;
    command->reads = true;
    command->stream = input;
    command->length = found.consumed;
    command->handle = hw_handle_new(0);
    command->pending.state = HW_PENDING_DEFERRED;
    if (context->read_by_unit) submit_until_taken(context, input);
    return true;
}

static bool by_software(struct hw_cereal *context, const struct hw_cereal_input *input) {
    struct hw_cereal_command *command = &context->command;

    hw_safepoint_settle();
    if (!reserve(context, input)) return false;
    context->fallbacks++;
    hw_cereal_store_read(command, cereal_read(input->at, command->length, command->image.start, command->image.limit,
                                              context->work, context->work_bytes));
    return true;
}

/* Drops the handle. No one else has seen it. */
static void forget_handle(hw_handle handle) {
    struct hw_handle_table *table = &hw_thread->handles;

    if (handle == table->next - 1) table->next--;
}

bool hw_cereal_read_end(struct hw_cereal *context, struct hw_cereal_input *input, hw_handle *result) {
    struct hw_cereal_command *command = &context->command;

    if (!hw_cereal_may_end(context, input, true)) return false;
    bool tried = command->pending.state != HW_PENDING_DEFERRED || by_software(context, input),
         read = command->pending.state == HW_PENDING_DONE;

    command->pending.state = HW_PENDING_NONE;
    if (!tried || !read) {
        forget_handle(command->handle);
        return tried && fail(context, command->status, command->offset);
    }
    input->consume(input, command->length);
    *result = command->handle;
    return true;
}

bool hw_cereal_read(struct hw_cereal *context, struct hw_cereal_input *input, hw_handle *result) {
    return hw_cereal_read_begin(context, input) && hw_cereal_read_end(context, input, result);
}
