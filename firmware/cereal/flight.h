/* Commands of the serialization and deserialization units, from a begin to its end. For the drivers of these units
 * only. */
#ifndef HW_CEREAL_FLIGHT_H
#define HW_CEREAL_FLIGHT_H

#include "cereal/codec/codec.h"
#include "runtime/compiler.h"
#include "runtime/heap/epoch.h"
#include "runtime/heap/safepoint.h"
#include "cereal/cereal.h"
#include "units/command.h"
#include "cereal/codec/class.h"

/* Stores the first error of a context. Returns false. */
bool hw_cereal_fail(struct hw_cereal *context, hw_status status);

/* Store the outcome of a command in its context. */
void hw_cereal_store_written(struct hw_cereal_command *command, struct cereal_written written);
void hw_cereal_store_read(struct hw_cereal_command *command, struct cereal_read outcome);

/* Notes that a command is in flight. Inline, as on the path from the call to the submission. */
static inline void hw_cereal_fly(struct hw_cereal_command *command, int32_t tag, void (*settle)(struct hw_pending *)) {
    command->tag = tag;
    command->pending.settle = settle;
    hw_pending_note(hw_thread, &command->pending, tag);
    hw_thread->counted++;
}

/* The settle functions of commands in flight, by which Cereal's commands are recognized. */
void hw_cereal_settle_write(struct hw_pending *pending);
void hw_cereal_settle_read(struct hw_pending *pending);

/* hw_cereal_may_begin when there is something to do first, or an error. */
bool hw_cereal_may_begin_after(struct hw_cereal *context);

/* Returns whether a command may begin, else false with an error in the context. Settles the thread's commands of other
 * drivers, and lets a waiting collection run first. */
static inline bool hw_cereal_may_begin(struct hw_cereal *context) {
    return LIKELY(context->status == HW_STATUS_OK && context->command.pending.state == HW_PENDING_NONE &&
                  !hw_safepoint_requested && !hw_thread->begun) ||
           hw_cereal_may_begin_after(context);
}

/* Returns whether this end matches what the context has begun, and if so takes the outcome. If it returns false after a
 * match, the command is over. */
static inline bool hw_cereal_may_end(struct hw_cereal *context, const void *stream, bool reads) {
    struct hw_cereal_command *command = &context->command;

    if (UNLIKELY(command->pending.state == HW_PENDING_NONE || command->stream != stream || command->reads != reads))
        return hw_cereal_fail(context, HW_STATUS_OUT_OF_TURN);
    if (hw_pending_in_flight(&command->pending)) {
        if (reads)
            hw_cereal_settle_read(&command->pending);
        else
            hw_cereal_settle_write(&command->pending);
    }
    if (LIKELY(context->status == HW_STATUS_OK)) return true;
    command->pending.state = HW_PENDING_NONE;
    return false;
}

/* Waits for a free tag or room in the queue: settles the thread's commands in flight, or if there are none lets another
 * thread run. */
void hw_cereal_wait_for_tag(void);

/* The function of hw_claims_by_units: returns whether a command to write is in flight, of any thread. */
bool hw_cereal_units_write(void);

/* hw_cereal_held_off: number of threads that wait until nothing is in flight (hw_cereal_quiet). While it is non-zero,
 * nothing is submitted. hw_cereal_others: number of commands in flight that no thread has noted, because other
 * drivers of the same units submitted them. Both are accessed in critical sections. */
extern uint32_t hw_cereal_held_off, hw_cereal_others;

/* The classes of Cereal that units know. For other drivers of the same units. */

/* Waits until the units have no command in flight, of any thread. Called in an outermost critical section, which it
 * leaves and enters again; none is in flight while the section then lasts. Classes may be announced or forgotten only
 * in this state, because they must not change during a command. */
void hw_cereal_quiet(void);

/* In such a section: makes the units forget all classes, also those of other formats, and announces Cereal's again. */
void hw_cereal_tell_again(void);

/* Returns the word of HW_REG_CEREAL_CLASS_SHAPE. Classes with more slots than the next word has bits are left to
 * software. They are announced all the same, because an id that units do not know is a malformed stream. */
static inline uint32_t hw_cereal_unit_shape(const struct hw_cereal_class *class) {
    uint32_t kind = class->slots > HW_CEREAL_SHAPE_SLOTS ? HW_CEREAL_KIND_ELSEWHERE : class->kind;

    return kind << HW_CEREAL_SHAPE_KIND_BIT | (class->size ? class->size : class->shift);
}

/* Returns whether software must execute a command that a unit ended with this status. The unit finds the arena full if
 * the stream's header understates the size; software then finds the error in the stream. */
static inline bool hw_cereal_is_left(hw_status status) {
    return status == HW_STATUS_UNSUPPORTED || status == HW_STATUS_UNREGISTERED_CLASS ||
           status == HW_STATUS_SHARED_OBJECT || status == HW_STATUS_WORK_FULL || status == HW_STATUS_FIXED_ARENA_FULL;
}

#endif
