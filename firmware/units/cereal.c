#include "units/cereal.h"

#include "runtime/heap/epoch.h"
#include "runtime/heap/safepoint.h"
#include "units/capability.h"
#include "units/cereal_unit.h"

void hw_cereal_open(struct hw_cereal *context, void *work, uint32_t work_bytes)
{
    *context = (struct hw_cereal){
        .work = work,
        .work_bytes = work_bytes,
        .written_by_unit = hw_unit_count(HW_UNIT_CEREAL_SERIALIZER) != 0,
        .read_by_unit = hw_unit_count(HW_UNIT_CEREAL_DESERIALIZER) != 0,
    };
}

bool hw_cereal_fail(struct hw_cereal *context, int status)
{
    if (context->status == HW_STATUS_OK)
        context->status = status;
    return false;
}

/* One attempt, in an epoch of its own. An epoch may cost a collection, so where the object lies is asked for after it;
 * from then on nothing moves. */
static struct cereal_written attempt(struct hw_cereal *context, const struct hw_cereal_output *output, hw_handle object,
                                     bool by_unit)
{
    struct cereal_writing writing = {
        .output = output->at,
        .output_bytes = (uint32_t)(output->limit - output->at),
        .work = context->work,
        .work_bytes = context->work_bytes,
        .epoch = hw_epoch_open(),
    };
    struct cereal_written written = {.status = HW_STATUS_UNSUPPORTED};

    if (writing.epoch == 0)
        return (struct cereal_written){.status = HW_CEREAL_OUT_OF_EPOCHS};
    hw_heap_bounds(&writing.bound, &writing.limit);
    writing.object = object ? object->reference : 0;
    if (by_unit) {
        int32_t tag = hw_cereal_begin_write(&writing, hw_epoch_oldest());

        if (tag >= 0)
            written = hw_cereal_end_write(tag);
    } else {
        context->fallbacks++;
        written = cereal_write(&writing);
    }
    hw_epoch_close(writing.epoch);
    return written;
}

bool hw_cereal_write_object(struct hw_cereal *context, struct hw_cereal_output *output, hw_handle object)
{
    struct cereal_written written = {.status = HW_STATUS_UNSUPPORTED};

    if (context->status != HW_STATUS_OK)
        return false;
    hw_safepoint_settle();
    if (context->written_by_unit)
        written = attempt(context, output, object, true);
    if (hw_cereal_left(written.status))
        written = attempt(context, output, object, false);
    if (written.status != HW_STATUS_OK) {
        context->at = written.at;
        return hw_cereal_fail(context, written.status);
    }
    return output->complete(output, written.length) || hw_cereal_fail(context, HW_CEREAL_NOT_SENT);
}
