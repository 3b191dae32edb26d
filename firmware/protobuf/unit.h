/* Commands that deserialize messages, where they are not simply submitted (driver.h). Only for the driver's own files.
 */
#ifndef HW_PROTOBUF_UNIT_H
#define HW_PROTOBUF_UNIT_H

#include "protobuf/protobuf.h"
#include "runtime/heap/adopt.h"
#include "runtime/schema.h"

struct hw_protobuf_outcome {
    hw_status status; /* HW_STATUS_* */
    hw_ref root;
    uint32_t fixed_top, flexible_top;
    uint32_t offset;
};

/* Submits a command that builds in `arenas`. Returns its tag, HW_SUBMIT_NO_UNIT or HW_SUBMIT_QUEUE_FULL. */
static inline int32_t hw_protobuf_unit_try(uint32_t limits, const struct hw_arenas *arenas, const struct hw_type *type,
                                           const void *input, uint32_t length) {
    int32_t tag;

    do tag = hw_protobuf_submit_read(limits, arenas, type, input, length);
    while (tag == HW_SUBMIT_RETRY);
    return tag;
}

/* Like hw_protobuf_unit_try, for a thread with no command in flight: waits until the queue has room. Returns the tag;
 * negative if there is no unit. */
static inline int32_t hw_protobuf_unit_begin(uint32_t limits, const struct hw_arenas *arenas,
                                             const struct hw_type *type, const void *input, uint32_t length) {
    int32_t tag;

    do tag = hw_protobuf_unit_try(limits, arenas, type, input, length);
    while (tag == HW_SUBMIT_QUEUE_FULL);
    return tag;
}

/* Reads the results of a command that has ended with `status`, and frees its tag. */
static inline struct hw_protobuf_outcome hw_protobuf_unit_take(int32_t tag, hw_status status) {
    struct hw_protobuf_outcome outcome = {.status = status};

    outcome.root = hw_command_result(HW_READ_ROOT, tag);
    outcome.fixed_top = hw_command_result(HW_READ_FIXED_TOP, tag);
    outcome.flexible_top = hw_command_result(HW_READ_FLEXIBLE_TOP, tag);
    outcome.offset = hw_command_result(HW_READ_OFFSET, tag);
    hw_command_release(tag);
    return outcome;
}

/* Waits for the command's end, then does the same. */
static inline struct hw_protobuf_outcome hw_protobuf_unit_end(int32_t tag) {
    return hw_protobuf_unit_take(tag, hw_command_finish(tag));
}

/* Returns whether software must parse the message: the unit does not support it, or it ended without a required field,
 * which a later occurrence may bring. */
static inline bool hw_protobuf_left(hw_status status) {
    return status == HW_STATUS_UNSUPPORTED || status == HW_STATUS_MISSING_REQUIRED;
}

/* Returns the thread's command in flight that allocates in `arenas`; NULL if there is none. */
struct hw_pending *hw_protobuf_pending(const struct hw_arenas *arenas);

/* Stores the first error of a context. Returns false. */
bool hw_protobuf_fail(struct hw_protobuf *context, hw_status status, uint32_t offset);

/* Bytes that an attempt needs in each arena. */
struct hw_protobuf_need {
    uint32_t fixed, flexible;
};

/* Returns what a message of this type and length is likely to need at least: its own object, and one string that is
 * nearly all of its length, or a view of it if strings of `left_from` bytes or more stay in the input (0: none do). */
static inline struct hw_protobuf_need hw_protobuf_least(const struct hw_type *type, uint32_t length,
                                                        uint32_t left_from) {
    if (left_from != 0 && length >= left_from) length = 0;
    return (struct hw_protobuf_need){.fixed = HW_GET(type, ADT_OBJECT_SIZE) + HW_OBJECT_BYTE_STRING_SIZE +
                                              HW_OBJECT_ARRAY_ELEMENTS + HW_OBJECT_ALIGNMENT + length};
}

/* A read that is no more than a command in the thread's arenas in the managed heap. The
 * functions below call none but a cold one, last, so that a function which ends with such calls saves no register. */
struct hw_protobuf_begun {
    hw_handle handle;
    int32_t tag; /* negative: the queue has not taken the command, and there is no handle */
};

ALWAYS_INLINE bool hw_protobuf_ready_in_heap(const struct hw_type *type, uint32_t length) {
    const struct hw_thread *thread = hw_thread;

    return !thread->begun && thread->handles.next != thread->handles.limit &&
           hw_adopt_ready(hw_protobuf_least(type, length, 0).fixed) && hw_schema.collectable;
}

ALWAYS_INLINE struct hw_protobuf_begun hw_protobuf_begin_in_heap(uint32_t limits, const struct hw_type *type,
                                                                 const void *input, uint32_t length) {
    struct hw_thread *thread = hw_thread;
    hw_handle handle = thread->handles.next;
    hw_ref root = thread->unit.fixed.top;
    int32_t tag = hw_protobuf_submit_read(limits, &thread->unit, type, input, length);

    if (LIKELY(tag >= 0)) {
        thread->handles.next = handle + 1;
        handle->reference = root;
    }
    return (struct hw_protobuf_begun){handle, tag};
}

/* Makes the arenas in the large space part of the heap. Returns the handle. */
hw_handle hw_protobuf_take_large(hw_handle handle);

/* Ends a command that has ended well. */
ALWAYS_INLINE hw_handle hw_protobuf_take_in_heap(struct hw_protobuf_begun begun) {
    struct hw_thread *thread = hw_thread;

    hw_protobuf_take_read(&thread->unit, begun.tag);
    return UNLIKELY(thread->unit_large[0] || thread->unit_large[1]) ? hw_protobuf_take_large(begun.handle)
                                                                    : begun.handle;
}

/* Makes room for the next command of a context in the managed heap. Returns false with an error in the context. */
bool hw_protobuf_room(struct hw_protobuf *context, struct hw_protobuf_need need);

#endif
