#include "protobuf/protobuf.h"

#include "protobuf/codec/codec.h"
#include "runtime/heap/adopt.h"
#include "runtime/heap/heap.h"
#include "runtime/schema.h"
#include "units/capability.h"
#include "protobuf/unit.h"

void hw_protobuf_open(struct hw_protobuf *context, struct hw_arenas *arenas) {
    *context = (struct hw_protobuf){
        .arenas = arenas,
        .max_depth = HW_PROTOBUF_DEFAULT_DEPTH,
        .read_by_unit = hw_unit_for(HW_CAPABLE_PROTOBUF_DESERIALIZE),
        .written_by_unit = hw_unit_for(HW_CAPABLE_PROTOBUF_SERIALIZE),
    };
    if (arenas) {
        arenas->in_flight = hw_protobuf_pending(arenas);
        const struct hw_arena *fixed = &arenas->fixed, *flexible = &arenas->flexible;
        context->bound = fixed->base < flexible->base ? fixed->base : flexible->base;
        context->limit = fixed->limit > flexible->limit ? fixed->limit : flexible->limit;
    }
}

void hw_protobuf_open_heap(struct hw_protobuf *context) {
    hw_protobuf_open(context, NULL);
    hw_heap_bounds(&context->bound, &context->limit);
}

bool hw_protobuf_fail(struct hw_protobuf *context, hw_status status, uint32_t offset) {
    if (context->status == HW_STATUS_OK) {
        context->status = status;
        context->offset = offset;
    }
    return false;
}

/* Parses the message in software. */
static struct hw_protobuf_outcome software(struct hw_protobuf *context, const struct hw_arenas *arenas,
                                           const struct hw_type *type, const void *input, uint32_t length) {
    struct hw_arenas after = *arenas;
    struct hw_protobuf_codec_object decoded = hw_protobuf_codec_read(type, input, length, context->max_depth, &after);

    context->fallbacks++;
    return (struct hw_protobuf_outcome){decoded.status, decoded.root, after.fixed.top, after.flexible.top,
                                        decoded.offset};
}

static bool succeed(struct hw_protobuf *context, const struct hw_protobuf_outcome *outcome, hw_handle *result) {
    hw_handle handle = hw_handle_new(outcome->root);

    if (!handle) return hw_protobuf_fail(context, HW_STATUS_NO_HANDLE, 0);
    context->arenas->fixed.top = outcome->fixed_top;
    context->arenas->flexible.top = outcome->flexible_top;
    *result = handle;
    return true;
}

static __attribute__((noinline)) bool by_software(struct hw_protobuf *context, const struct hw_type *type,
                                                  const void *input, uint32_t length, hw_handle *result) {
    struct hw_protobuf_outcome outcome = software(context, context->arenas, type, input, length);

    if (outcome.status != HW_STATUS_OK) return hw_protobuf_fail(context, outcome.status, outcome.offset);
    return succeed(context, &outcome, result);
}

/* More than any heap can give. Doubling ends here. */
#define MOST (1u << 30)

bool hw_protobuf_room(struct hw_protobuf *context, struct hw_protobuf_need need) {
    if (__builtin_expect(hw_adopt_ready(need.fixed, need.flexible), 1)) return true;
    return hw_adopt_room(need.fixed, need.flexible) || hw_protobuf_fail(context, HW_STATUS_OUT_OF_MEMORY, 0);
}

static uint32_t more(uint32_t need, const struct hw_arena *arena, uint32_t length) {
    uint32_t had = hw_arena_free(arena), base = need > had ? need : had;

    return 2 * (base > length ? base : length);
}

/* Doubles the need for the arena that was full. Returns false for any other status. */
static bool grow(struct hw_protobuf_need *need, hw_status status, uint32_t length) {
    const struct hw_arenas *unit = &hw_thread->unit;

    if (status == HW_STATUS_FIXED_ARENA_FULL)
        need->fixed = more(need->fixed, &unit->fixed, length);
    else if (status == HW_STATUS_FLEXIBLE_ARENA_FULL)
        need->flexible = more(need->flexible, &unit->flexible, length);
    else
        return false;
    hw_heap_statistics.restarts++;
    return true;
}

static inline __attribute__((always_inline)) struct hw_protobuf_outcome attempt_in_heap(struct hw_protobuf *context,
                                                                                        const struct hw_type *type,
                                                                                        const void *input,
                                                                                        uint32_t length) {
    const struct hw_arenas *unit = &hw_thread->unit;
    int32_t tag = context->read_by_unit ? hw_protobuf_unit_begin(context->max_depth, unit, type, input, length)
                                        : HW_SUBMIT_NO_UNIT;

    if (__builtin_expect(tag < 0, 0)) return software(context, unit, type, input, length);
    struct hw_protobuf_outcome outcome = hw_protobuf_unit_end(tag);

    if (__builtin_expect(hw_protobuf_left(outcome.status), 0)) return software(context, unit, type, input, length);
    return outcome;
}

/* hw_protobuf_read for a context in the managed heap: every attempt gets room in eden, a repeated one more room,
 * and only complete graphs are committed. */
static bool in_heap(struct hw_protobuf *context, const struct hw_type *type, const void *input, uint32_t length,
                    hw_handle *result) {
    struct hw_protobuf_need need = hw_protobuf_least(type, length);
    struct hw_protobuf_outcome outcome;

    if (__builtin_expect(!hw_schema.collectable, 0)) return hw_protobuf_fail(context, HW_STATUS_BAD_DESCRIPTOR, 0);
    do {
        if (__builtin_expect(need.fixed > MOST || need.flexible > MOST, 0)) {
            hw_exception_raise(HW_OUT_OF_MEMORY);
            return hw_protobuf_fail(context, HW_STATUS_OUT_OF_MEMORY, 0);
        }
        if (!hw_protobuf_room(context, need)) return false;
        outcome = attempt_in_heap(context, type, input, length);
    } while (grow(&need, outcome.status, length));
    if (__builtin_expect(outcome.status != HW_STATUS_OK, 0)) {
        hw_adopt_drop_large();
        return hw_protobuf_fail(context, outcome.status, outcome.offset);
    }

    hw_handle handle = hw_handle_new(outcome.root);

    if (!handle) {
        hw_exception_raise(HW_OUT_OF_HANDLES);
        return hw_protobuf_fail(context, HW_STATUS_NO_HANDLE, 0);
    }
    hw_adopt_commit(outcome.fixed_top, outcome.flexible_top);
    *result = handle;
    return true;
}

static __attribute__((noinline)) bool elsewhere(struct hw_protobuf *context, const struct hw_type *type,
                                                const void *input, uint32_t length, hw_handle *result) {
    if (!context->arenas) return in_heap(context, type, input, length, result);
    return by_software(context, type, input, length, result);
}

/* A command in flight allocates where this one will. The case is a function of its own, so that the common path has no
 * stack frame: stores to a frame would have to drain before the command starts. */
static __attribute__((noinline)) bool after_pending(struct hw_protobuf *context, const struct hw_type *type,
                                                    const void *input, uint32_t length, hw_handle *result) {
    hw_safepoint_settle();
    return hw_protobuf_read(context, type, input, length, result);
}

/* Ends a command that has failed or has no handle. */
static __attribute__((noinline)) bool end_otherwise(struct hw_protobuf *context, const struct hw_type *type,
                                                    const void *input, uint32_t length, hw_handle *result, int32_t tag,
                                                    hw_status status) {
    struct hw_protobuf_outcome outcome = hw_protobuf_unit_take(tag, status);

    if (status == HW_STATUS_OK) return hw_protobuf_fail(context, HW_STATUS_NO_HANDLE, 0);
    if (hw_protobuf_left(status)) return by_software(context, type, input, length, result);
    return hw_protobuf_fail(context, status, outcome.offset);
}

bool hw_protobuf_read(struct hw_protobuf *context, const struct hw_type *type, const void *input, uint32_t length,
                      hw_handle *result) {
    int32_t tag;

    if (__builtin_expect(context->status != HW_STATUS_OK, 0)) return false;
    if (__builtin_expect(hw_thread->pending != NULL, 0)) return after_pending(context, type, input, length, result);
    if (__builtin_expect(!context->read_by_unit || !context->arenas, 0))
        return elsewhere(context, type, input, length, result);
    tag = hw_protobuf_unit_begin(context->max_depth, context->arenas, type, input, length);
    if (__builtin_expect(tag < 0, 0)) return elsewhere(context, type, input, length, result);
    /* Work that does not need the result is done while the unit works. It takes long if the unit's writes have evicted
     * the cache lines. */
    struct hw_arenas *arenas = context->arenas;
    hw_handle handle = hw_handle_new(0);
    hw_status status = hw_command_finish(tag);

    if (__builtin_expect(status != HW_STATUS_OK || !handle, 0)) {
        if (handle) hw_handle_drop_latest();
        return end_otherwise(context, type, input, length, result, tag, status);
    }
    handle->reference = hw_command_result(0, tag);
    arenas->fixed.top = hw_command_result(1, tag);
    arenas->flexible.top = hw_command_result(2, tag);
    hw_command_release(tag);
    *result = handle;
    return true;
}
