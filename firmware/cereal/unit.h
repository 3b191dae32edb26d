/* Commands of the serialization and deserialization units, for the driver's own files. */
#ifndef HW_CEREAL_UNIT_H
#define HW_CEREAL_UNIT_H

#include "cereal/codec/read.h"
#include "cereal/codec/write.h"
#include "runtime/heap/epoch.h"
#include "cereal/cereal.h"
#include "units/command.h"

/* Queues a command: its tag, or HW_SUBMIT_NO_UNIT or HW_SUBMIT_QUEUE_FULL. */
static inline int32_t hw_cereal_submit_write(const struct cereal_writing *writing, uint32_t oldest)
{
    /* The unit wants whole blocks of 64 bytes, and leaves what is behind them. */
    uint32_t output = hw_reference(writing->output), work = hw_reference(writing->work), limit = work + (writing->work_bytes & ~63u);
    int32_t tag;

    do {
        tag = hw_command_start(HW_OP_CEREAL_WRITE_OBJECT, writing->object, output, output + writing->output_bytes, work, limit, writing->bound,
                               writing->limit, writing->epoch << HW_EPOCH_SHIFT | oldest);
    } while (tag == HW_SUBMIT_RETRY);
    return tag;
}

static inline int32_t hw_cereal_submit_read(const void *input, uint32_t length, const struct hw_reserve *image, void *work,
                                            uint32_t work_bytes)
{
    uint32_t area = hw_reference(work);
    int32_t tag;

    do {
        tag = hw_command_start(HW_OP_CEREAL_READ_OBJECT, hw_reference(input), length, image->start, image->limit, area, area + work_bytes, 0, 0);
    } while (tag == HW_SUBMIT_RETRY);
    return tag;
}

/* Waits for the command's end and frees its tag. */
static inline struct cereal_written hw_cereal_take_written(int32_t tag)
{
    struct cereal_written written = {.status = hw_command_finish(tag)};

    written.length = hw_command_result(0, tag);
    written.objects = hw_command_result(1, tag);
    written.graph = hw_command_result(2, tag);
    written.at = hw_command_result(3, tag);
    hw_command_release(tag);
    return written;
}

static inline struct cereal_read hw_cereal_take_read(int32_t tag)
{
    struct cereal_read outcome = {.status = hw_command_finish(tag)};

    outcome.root = hw_command_result(0, tag);
    outcome.top = hw_command_result(1, tag);
    outcome.consumed = hw_command_result(2, tag);
    outcome.offset = hw_command_result(3, tag);
    hw_command_release(tag);
    return outcome;
}

/* Whether the unit has left the command to software. An arena that the unit finds full is one for which the stream's
 * header lies. */
static inline bool hw_cereal_left(int status)
{
    return status == HW_STATUS_UNSUPPORTED || status == HW_STATUS_UNREGISTERED_CLASS || status == HW_STATUS_SHARED_OBJECT ||
           status == HW_STATUS_WORK_FULL || status == HW_STATUS_FIXED_ARENA_FULL;
}

/* The first error of a context; false. */
bool hw_cereal_fail(struct hw_cereal *context, int status);

/* Whether a command may begin; else false with an error in the context. Commands of other drivers that the thread has
 * in flight are settled, and a collection that waits goes first. */
bool hw_cereal_may_begin(struct hw_cereal *context);

/* Whether this is the end of what the context has begun, whose outcome is taken then; the command is over. */
bool hw_cereal_may_end(struct hw_cereal *context, const void *stream, bool reads);

/* The thread's commands that are in flight: settle functions, by which they are known. */
void hw_cereal_settle_write(struct hw_pending *pending);
void hw_cereal_settle_read(struct hw_pending *pending);

/* No tag is free, or the queue is full: what the thread has in flight is settled, or another thread runs. */
void hw_cereal_wait_for_tag(void);

/* hw_claims_by_units: whether a command to write is in flight, of any thread. */
bool hw_cereal_units_write(void);

/* Threads that wait until nothing is in flight (cereal_register.h): nothing is submitted. Commands in flight that no pending list has: other drivers'
 * of the same units. Both in a critical section. */
extern uint32_t hw_cereal_held_off, hw_cereal_others;

#endif
