/* ReadObject: images in the thread's unit arena, part of the heap when they are whole. */
#include "runtime/heap/adopt.h"
#include "runtime/heap/object.h"
#include "units/cereal_unit.h"

/* Units build from multiples of 16. */
#define IMAGE_ALIGNMENT 16

static bool fail(struct hw_cereal *context, int status, uint32_t offset)
{
    if (context->status == HW_STATUS_OK)
        context->offset = offset / 16 * 16;
    return hw_cereal_fail(context, status);
}

/* The whole stream is there, if its header is sound: what cereal_check_header says. */
static struct cereal_read fetch(struct hw_cereal_input *input)
{
    uint32_t bytes = sizeof(struct cereal_header);
    struct cereal_read found;

    if ((uintptr_t)input->at % HW_CEREAL_ALIGNMENT != 0)
        return (struct cereal_read){.status = HW_STATUS_BAD_ALIGNMENT};
    if ((size_t)(input->limit - input->at) < bytes && !(input->fetch && input->fetch(input, bytes)))
        return (struct cereal_read){.status = HW_STATUS_BAD_STREAM};
    /* But for its length; sound, it has one that fits into 32 bits. */
    found = cereal_check_header(input->at, UINT32_MAX);
    if (found.status != HW_STATUS_OK || (size_t)(input->limit - input->at) >= found.consumed)
        return found;
    if (input->fetch && input->fetch(input, found.consumed))
        return found;
    return cereal_check_header(input->at, (uint32_t)(input->limit - input->at));
}

static struct cereal_read by_software(struct hw_cereal *context, const struct hw_cereal_input *input, uint32_t length,
                                      hw_ref image)
{
    context->fallbacks++;
    return cereal_read(input->at, length, image, hw_thread->unit.fixed.limit, context->work, context->work_bytes);
}

static struct cereal_read attempt(struct hw_cereal *context, const struct hw_cereal_input *input, uint32_t length,
                                  hw_ref image)
{
    struct cereal_read outcome = {.status = HW_STATUS_UNSUPPORTED};
    int32_t tag = HW_SUBMIT_NO_UNIT;

    if (context->read_by_unit)
        tag = hw_cereal_begin_read(input->at, length, image, hw_thread->unit.fixed.limit, context->work,
                                   context->work_bytes);
    if (tag >= 0)
        outcome = hw_cereal_end_read(tag);
    return hw_cereal_left(outcome.status) ? by_software(context, input, length, image) : outcome;
}

/* The arena's top, a multiple of 16, with room for the image; 0: none. */
static hw_ref room(struct hw_cereal *context, uint32_t image_bytes)
{
    uint32_t bytes = image_bytes + IMAGE_ALIGNMENT - HW_OBJECT_ALIGNMENT;

    hw_safepoint_settle();
    if (!hw_adopt_ready(bytes, 0) && !hw_adopt_room(bytes, 0)) {
        hw_cereal_fail(context, HW_CEREAL_OUT_OF_MEMORY);
        return 0;
    }
    return (hw_thread->unit.fixed.top + IMAGE_ALIGNMENT - 1) / IMAGE_ALIGNMENT * IMAGE_ALIGNMENT;
}

bool hw_cereal_read_object(struct hw_cereal *context, struct hw_cereal_input *input, hw_handle *result)
{
    if (context->status != HW_STATUS_OK)
        return false;
    struct cereal_read outcome = fetch(input);
    uint32_t length = outcome.consumed;

    if (outcome.status != HW_STATUS_OK)
        return fail(context, outcome.status, outcome.offset);
    hw_ref image = room(context, cereal_image_bytes((const struct cereal_header *)(const void *)input->at));

    if (image == 0)
        return false;
    outcome = attempt(context, input, length, image);
    if (outcome.status != HW_STATUS_OK) {
        hw_adopt_drop_large();
        return fail(context, outcome.status, outcome.offset);
    }
    hw_handle handle = hw_handle_new(outcome.root);

    if (!handle) {
        hw_adopt_drop_large();
        hw_exception_raise(HW_OUT_OF_HANDLES);
        return hw_cereal_fail(context, HW_CEREAL_NO_HANDLE);
    }
    hw_make_filler(hw_thread->unit.fixed.top, image);
    hw_adopt_commit(outcome.top, hw_thread->unit.flexible.top);
    input->consume(input, length);
    *result = handle;
    return true;
}
