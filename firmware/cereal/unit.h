/* Commands of the serialization and deserialization units. Only for the driver's own files. */
#ifndef HW_CEREAL_UNIT_H
#define HW_CEREAL_UNIT_H

#include "cereal/codec/read.h"
#include "cereal/codec/write.h"
#include "runtime/compiler.h"
#include "runtime/heap/epoch.h"
#include "runtime/heap/safepoint.h"
#include "cereal/cereal.h"
#include "units/command.h"
#include "units/status.h"

/* Submits a command. Returns its tag, HW_SUBMIT_NO_UNIT or HW_SUBMIT_QUEUE_FULL. */
static inline int32_t hw_cereal_submit_write(const struct cereal_writing *writing, uint32_t oldest) {
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

static inline int32_t hw_cereal_submit_read(const void *input, uint32_t length, const struct hw_reserve *image,
                                            void *work, uint32_t work_bytes) {
    uint32_t area = hw_reference(work);
    int32_t tag;

    do {
        tag = hw_command_start(HW_OP_CEREAL_READ_OBJECT, hw_reference(input), length, image->start, image->limit, area,
                               area + work_bytes, 0, 0);
    } while (tag == HW_SUBMIT_RETRY);
    return tag;
}

/* Waits for the command's end, takes the results that the driver needs, and frees its tag. */
static inline struct cereal_written hw_cereal_take_written(int32_t tag) {
    struct cereal_written written = {.status = hw_command_finish(tag)};

    written.length = hw_command_result(0, tag);
    if (UNLIKELY(written.status != HW_STATUS_OK)) written.at = hw_command_result(3, tag);
    hw_command_release(tag);
    return written;
}

static inline struct cereal_read hw_cereal_take_read(int32_t tag) {
    struct cereal_read outcome = {.status = hw_command_finish(tag)};

    outcome.root = hw_command_result(0, tag);
    outcome.top = hw_command_result(1, tag);
    outcome.consumed = hw_command_result(2, tag);
    outcome.offset = hw_command_result(3, tag);
    hw_command_release(tag);
    return outcome;
}

/* Returns whether software must execute a command that a unit ended with this status. The unit finds the arena full if
 * the stream's header understates the size; software then finds the error in the stream. */
static inline bool hw_cereal_left(hw_status status) {
    return status == HW_STATUS_UNSUPPORTED || status == HW_STATUS_UNREGISTERED_CLASS ||
           status == HW_STATUS_SHARED_OBJECT || status == HW_STATUS_WORK_FULL || status == HW_STATUS_FIXED_ARENA_FULL;
}

/* Stores the first error of a context. Returns false. */
bool hw_cereal_fail(struct hw_cereal *context, hw_status status);

/* The settle functions of commands in flight, by which Cereal's commands are recognized. */
void hw_cereal_settle_write(struct hw_pending *pending);
void hw_cereal_settle_read(struct hw_pending *pending);

/* hw_cereal_may_begin when there is something to do first, or an error. */
bool hw_cereal_may_begin_after(struct hw_cereal *context);

/* Returns whether a command may begin, else false with an error in the context. Settles the thread's commands of other
 * drivers, and lets a waiting collection run first. */
static inline bool hw_cereal_may_begin(struct hw_cereal *context) {
    return LIKELY(context->status == HW_STATUS_OK && context->command.stage == HW_CEREAL_NONE &&
                  !hw_safepoint_requested && !hw_thread->pending) ||
           hw_cereal_may_begin_after(context);
}

/* Returns whether this end matches what the context has begun, and if so takes the outcome. If it returns false after a
 * match, the command is over. */
static inline bool hw_cereal_may_end(struct hw_cereal *context, const void *stream, bool reads) {
    struct hw_cereal_command *command = &context->command;

    if (UNLIKELY(command->stage == HW_CEREAL_NONE || command->stream != stream || command->reads != reads))
        return hw_cereal_fail(context, HW_STATUS_OUT_OF_TURN);
    if (command->stage == HW_CEREAL_IN_FLIGHT) {
        if (reads)
            hw_cereal_settle_read(&command->pending);
        else
            hw_cereal_settle_write(&command->pending);
    }
    if (LIKELY(context->status == HW_STATUS_OK)) return true;
    command->stage = HW_CEREAL_NONE;
    return false;
}

/* Waits for a free tag or room in the queue: settles the thread's commands in flight, or if there are none lets another
 * thread run. */
void hw_cereal_wait_for_tag(void);

/* The function of hw_claims_by_units: returns whether a command to write is in flight, of any thread. */
bool hw_cereal_units_write(void);

/* hw_cereal_held_off: number of threads that wait until nothing is in flight (cereal_register.h). While it is non-zero,
 * nothing is submitted. hw_cereal_others: number of commands in flight that are on no pending list, because other
 * drivers of the same units submitted them. Both are accessed in critical sections. */
extern uint32_t hw_cereal_held_off, hw_cereal_others;

#endif
