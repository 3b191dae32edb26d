/* WriteObject: each graph is claimed in an epoch of its own. */
#include "cereal/flight.h"

/* Opens an epoch beside others. If that fails, settles the thread's own commands, which hold their epochs until then,
 * and tries again. */
static COLD_CALL uint32_t open_another_epoch(void) {
    struct hw_error before = hw_thread->error;
    uint32_t epoch = hw_epoch_open();

    if (epoch || hw_thread_settled(hw_thread)) return epoch;
    hw_thread->error = before;
    hw_safepoint_settle();
    return hw_epoch_open();
}

/* Opens an epoch. This may collect, so the caller must ask for addresses of objects afterwards. */
ALWAYS_INLINE uint32_t open_epoch(void) {
    uint32_t epoch = hw_epoch_open_alone();

    return LIKELY(epoch) ? epoch : open_another_epoch();
}

ALWAYS_INLINE struct cereal_writing writing_of(const struct hw_cereal *context, const struct hw_cereal_output *output) {
    hw_handle object = context->command.handle;
    uint32_t bound, limit;

    hw_heap_bounds(&bound, &limit);
    return (struct cereal_writing){
        .object = object ? object->reference : 0,
        .output = output->at,
        .output_bytes = (uint32_t)(output->limit - output->at),
        .work = context->work,
        .work_bytes = context->work_bytes,
        .bound = bound,
        .limit = limit,
        .epoch = context->command.epoch,
    };
}

/* Submits a command. Returns its tag, HW_SUBMIT_NO_UNIT or HW_SUBMIT_QUEUE_FULL. */
static inline int32_t submit(const struct cereal_writing *writing, uint32_t oldest) {
    /* The unit uses whole blocks of 64 bytes, so bytes behind the last whole block stay unused. */
    uint32_t output = hw_reference(writing->output), work = hw_reference(writing->work),
             limit = work + (writing->work_bytes & ~63u);
    int32_t tag;

    do {
        tag = hw_command_start(HW_OP_CEREAL_WRITE_OBJECT, writing->object, output, output + writing->output_bytes, work,
                               limit, writing->bound, writing->limit, writing->epoch << HW_EPOCH_SHIFT | oldest);
    } while (tag == HW_SUBMIT_RETRY);
    return tag;
}

/* No other thread runs between the check of hw_claiming and the moment at which the command is visible to other
 * threads. */
ALWAYS_INLINE int32_t try_submit(struct hw_cereal *context, const struct cereal_writing *writing) {
    int32_t tag = HW_SUBMIT_QUEUE_FULL;

    hw_critical_enter();
    if (LIKELY(!hw_claiming && !hw_cereal_held_off)) tag = submit(writing, hw_epoch_oldest_owner() >> HW_EPOCH_SHIFT);
    if (LIKELY(tag >= 0)) {
        hw_claims_by_units = hw_cereal_units_write;
        hw_cereal_fly(&context->command, tag, hw_cereal_settle_write);
    }
    hw_critical_leave();
    return tag;
}

/* Submits again until there is a tag and room in the queue. Computes the arguments anew, so that the usual path keeps
 * them in registers. */
static COLD_CALL int32_t submit_later(struct hw_cereal *context, const struct hw_cereal_output *output) {
    int32_t tag;

    do {
        hw_cereal_wait_for_tag();
        struct cereal_writing writing = writing_of(context, output);

        tag = try_submit(context, &writing);
    } while (tag == HW_SUBMIT_QUEUE_FULL);
    return tag;
}

/* The path from the call to the submission is a tenth of the time of a small graph, so what is rare is out of line. */
OFTEN bool hw_cereal_write_begin(struct hw_cereal *context, struct hw_cereal_output *output, hw_handle object) {
    struct hw_cereal_command *command = &context->command;

    if (!hw_cereal_may_begin(context)) return false;
    command->reads = false;
    command->stream = output;
    command->handle = object;
    if (LIKELY(context->written_by_unit)) {
        if ((command->epoch = open_epoch()) == 0) return hw_cereal_fail(context, HW_STATUS_OUT_OF_EPOCHS);
        struct cereal_writing writing = writing_of(context, output);
        int32_t tag = try_submit(context, &writing);

        if (UNLIKELY(tag == HW_SUBMIT_QUEUE_FULL)) tag = submit_later(context, output);
        if (LIKELY(tag >= 0)) return true;
        hw_epoch_close(command->epoch);
    }
    command->pending.state = HW_PENDING_DEFERRED;
    return true;
}

static COLD_CALL void by_software(struct hw_cereal *context, const struct hw_cereal_output *output) {
    struct hw_cereal_command *command = &context->command;

    hw_safepoint_settle();
    if ((command->epoch = open_epoch()) == 0) {
        command->pending.state = HW_PENDING_FAILED;
        command->status = HW_STATUS_OUT_OF_EPOCHS;
        command->at = 0;
        return;
    }
    struct cereal_writing writing = writing_of(context, output);

    context->fallbacks++;
    hw_claims_enter();
    struct cereal_written written = cereal_write(&writing);

    hw_claims_leave();
    hw_cereal_store_written(command, written);
}

OFTEN bool hw_cereal_write_end(struct hw_cereal *context, struct hw_cereal_output *output) {
    struct hw_cereal_command *command = &context->command;

    if (!hw_cereal_may_end(context, output, false)) return false;
    if (command->pending.state == HW_PENDING_DEFERRED) by_software(context, output);
    bool written = command->pending.state == HW_PENDING_DONE;

    command->pending.state = HW_PENDING_NONE;
    if (!written) {
        context->at = command->at;
        return hw_cereal_fail(context, command->status);
    }
    return output->complete(output, command->length) || hw_cereal_fail(context, HW_STATUS_NOT_SENT);
}

OFTEN bool hw_cereal_write(struct hw_cereal *context, struct hw_cereal_output *output, hw_handle object) {
    return hw_cereal_write_begin(context, output, object) && hw_cereal_write_end(context, output);
}
