#include "protobuf/protobuf.h"

#include "protobuf/codec/codec.h"
#include "runtime/heap/adopt.h"
#include "runtime/heap/heap.h"
#include "runtime/schema.h"
#include "units/capability.h"
#include "protobuf/unit.h"

/* Says whether calls are no more than a command. */
static void look_ahead(struct hw_protobuf *context) {
    bool fine = context->status == HW_STATUS_OK, reads = fine && context->read_by_unit;

    context->read_in = reads ? context->arenas : NULL;
    context->read_in_heap = reads && !context->arenas;
    context->write_below = fine && context->written_by_unit ? context->limit : 0;
}

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
    look_ahead(context);
}

void hw_protobuf_open_heap(struct hw_protobuf *context) {
    hw_protobuf_open(context, NULL);
    hw_heap_bounds(&context->bound, &context->limit);
    look_ahead(context);
}

#define LEFT_FROM_MAX INT16_MAX
#define OWNED (1u << 31) /* in `limits`: the input is elements of a byte array, which owns what is left in it */

static bool can_leave(struct hw_protobuf *context, uint32_t from, bool in_heap) {
    if (from <= LEFT_FROM_MAX && in_heap == !context->arenas) return true;
    return hw_protobuf_fail(context, HW_STATUS_BAD_COMMAND, 0);
}

void hw_protobuf_leave_strings(struct hw_protobuf *context, uint32_t from, const void *buffer, uint32_t size) {
    uint32_t start = hw_reference(buffer), end = start + size;

    if (!can_leave(context, from, false)) return;
    if (end < start) {
        hw_protobuf_fail(context, HW_STATUS_OUT_OF_BOUNDS, 0);
        return;
    }
    context->left_from = (uint16_t)from;
    if (start < context->bound) context->bound = start;
    if (end > context->limit) context->limit = end;
    look_ahead(context);
}

void hw_protobuf_software_only(struct hw_protobuf *context) {
    context->read_by_unit = context->written_by_unit = false;
    look_ahead(context);
}

void hw_protobuf_clear_error(struct hw_protobuf *context) {
    context->status = HW_STATUS_OK;
    context->offset = 0;
    look_ahead(context);
}

bool hw_protobuf_fail(struct hw_protobuf *context, hw_status status, uint32_t offset) {
    if (context->status == HW_STATUS_OK) {
        context->status = status;
        context->offset = offset;
        look_ahead(context);
    }
    return false;
}

static hw_handle fail(struct hw_protobuf *context, hw_status status, uint32_t offset) {
    hw_protobuf_fail(context, status, offset);
    return NULL;
}

/* Parses the message in software, which copies all strings. */
static struct hw_protobuf_outcome software(struct hw_protobuf *context, const struct hw_arenas *arenas,
                                           const struct hw_type *type, const void *input, uint32_t length) {
    struct hw_arenas after = *arenas;
    struct hw_protobuf_codec_object decoded = hw_protobuf_codec_read(type, input, length, context->max_depth, &after);

    context->fallbacks++;
    return (struct hw_protobuf_outcome){decoded.status, decoded.root, after.fixed.top, after.flexible.top,
                                        decoded.offset};
}

static hw_handle succeed(struct hw_protobuf *context, const struct hw_protobuf_outcome *outcome) {
    hw_handle handle = hw_handle_new(outcome->root);

    if (!handle) return fail(context, HW_STATUS_NO_HANDLE, 0);
    context->arenas->fixed.top = outcome->fixed_top;
    context->arenas->flexible.top = outcome->flexible_top;
    return handle;
}

static hw_handle by_software(struct hw_protobuf *context, const struct hw_type *type, const void *input,
                             uint32_t length) {
    struct hw_protobuf_outcome outcome = software(context, context->arenas, type, input, length);

    if (outcome.status != HW_STATUS_OK) return fail(context, outcome.status, outcome.offset);
    return succeed(context, &outcome);
}

/* More than any heap can give. Doubling ends here. */
#define MOST (1u << 30)

bool hw_protobuf_room(struct hw_protobuf *context, struct hw_protobuf_need need) {
    if (LIKELY(!need.flexible && hw_adopt_ready(need.fixed))) return true;
    return hw_adopt_room(need.fixed, need.flexible) || hw_protobuf_fail(context, hw_heap_full, 0);
}

/* Eden's share is tried before the large space, which keeps objects until all of them are dead. */
static uint32_t more(uint32_t need, const struct hw_arena *arena, uint32_t length) {
    uint32_t had = hw_arena_free(arena), base = need > had ? need : had, share = hw_eden_share();

    if (base < length) base = length;
    return base < share && 2 * base > share ? share : 2 * base;
}

/* Raises the need for the arena that was full. Returns false for any other status. */
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

static bool room_in_heap(struct hw_protobuf *context, struct hw_protobuf_need need) {
    if (need.fixed <= MOST && need.flexible <= MOST) return hw_protobuf_room(context, need);
    hw_error_raise(HW_STATUS_OUT_OF_MEMORY);
    return hw_protobuf_fail(context, HW_STATUS_OUT_OF_MEMORY, 0);
}

/* The input of a command in the managed heap. */
struct source {
    const void *outside; /* the heap */
    hw_handle array;     /* if not NULL: the input is its elements, which a collection may move */
    uint32_t length;
    uint16_t left_from;
};

static const void *bytes_of(const struct source *source) {
    return source->array ? hw_array_bytes(source->array->reference) : source->outside;
}

static struct hw_protobuf_outcome software_in_heap(struct hw_protobuf *context, const struct hw_type *type,
                                                   const struct source *source) {
    return software(context, &hw_thread->unit, type, bytes_of(source), source->length);
}

static struct hw_protobuf_outcome attempt_in_heap(struct hw_protobuf *context, const struct hw_type *type,
                                                  const struct source *source) {
    uint32_t limits = context->max_depth | (uint32_t)source->left_from << 16 | (source->array ? OWNED : 0);
    int32_t tag = context->read_by_unit
                      ? hw_protobuf_unit_begin(limits, &hw_thread->unit, type, bytes_of(source), source->length)
                      : HW_SUBMIT_NO_UNIT;

    return tag < 0 ? software_in_heap(context, type, source) : hw_protobuf_unit_end(tag);
}

/* Ends hw_protobuf_read for a context in the managed heap after a first attempt, which had the room `need`: a repeated
 * one gets more, and only complete graphs are committed. */
static hw_handle finish_in_heap(struct hw_protobuf *context, const struct hw_type *type, const struct source *source,
                                struct hw_protobuf_need need, struct hw_protobuf_outcome outcome) {
    for (;;) {
        if (hw_protobuf_left(outcome.status)) outcome = software_in_heap(context, type, source);
        if (!grow(&need, outcome.status, source->length)) break;
        if (!room_in_heap(context, need)) return NULL;
        outcome = attempt_in_heap(context, type, source);
    }
    if (outcome.status != HW_STATUS_OK) {
        hw_adopt_drop_large();
        return fail(context, outcome.status, outcome.offset);
    }
    hw_handle handle = hw_handle_new(outcome.root);

    if (!handle) {
        hw_adopt_drop_large();
        return fail(context, HW_STATUS_NO_HANDLE, 0);
    }
    hw_adopt_commit(outcome.fixed_top, outcome.flexible_top);
    return handle;
}

static hw_handle in_heap(struct hw_protobuf *context, const struct hw_type *type, const struct source *source) {
    struct hw_protobuf_need need = hw_protobuf_least(type, source->length, source->left_from);

    if (!hw_schema.collectable) return fail(context, HW_STATUS_BAD_DESCRIPTOR, 0);
    if (!room_in_heap(context, need)) return NULL;
    return finish_in_heap(context, type, source, need, attempt_in_heap(context, type, source));
}

bool hw_protobuf_read_array(struct hw_protobuf *context, const struct hw_type *type, hw_handle array, uint32_t length,
                            uint32_t from, hw_handle *result) {
    const struct source source = {.array = array, .length = length, .left_from = (uint16_t)from};

    *result = NULL;
    if (context->status != HW_STATUS_OK || !can_leave(context, from, true)) return false;
    if (length > hw_array_length(array->reference)) return hw_protobuf_fail(context, HW_STATUS_OUT_OF_BOUNDS, 0);
    hw_safepoint_settle();
    *result = in_heap(context, type, &source);
    return *result != NULL;
}

/* Like hw_protobuf_read_failed, in the managed heap. */
static COLD_CALL hw_handle failed_in_heap(struct hw_protobuf *context, const struct hw_type *type, const void *input,
                                          uint32_t length, int32_t tag) {
    struct hw_protobuf_outcome outcome = hw_protobuf_unit_end(tag);

    hw_handle_drop_latest();
    const struct source source = {.outside = input, .length = length};

    return finish_in_heap(context, type, &source, hw_protobuf_least(type, length, 0), outcome);
}

COLD_CALL hw_handle hw_protobuf_take_large(hw_handle handle) {
    hw_adopt_commit_large();
    return handle;
}

hw_handle hw_protobuf_read_failed(struct hw_protobuf *context, const struct hw_type *type, const void *input,
                                  uint32_t length, hw_handle handle, int32_t tag) {
    struct hw_protobuf_outcome outcome = hw_protobuf_unit_end(tag);

    if (handle) hw_handle_drop_latest();
    if (outcome.status == HW_STATUS_OK) return succeed(context, &outcome);
    if (hw_protobuf_left(outcome.status)) return by_software(context, type, input, length);
    return fail(context, outcome.status, outcome.offset);
}

static COLD_CALL hw_handle read_slowly(struct hw_protobuf *context, const struct hw_type *type, const void *input,
                                       uint32_t length) {
    if (context->status != HW_STATUS_OK) return NULL;
    hw_safepoint_settle();
    if (!context->arenas) return in_heap(context, type, &(struct source){.outside = input, .length = length});
    int32_t tag = context->read_by_unit ? hw_protobuf_unit_begin(context->limits, context->arenas, type, input, length)
                                        : HW_SUBMIT_NO_UNIT;

    if (tag < 0) return by_software(context, type, input, length);
    return hw_protobuf_read_failed(context, type, input, length, NULL, tag);
}

/* What driver.h does in arenas, in the managed heap; other functions do all else. */
OFTEN hw_handle hw_protobuf_read_otherwise(struct hw_protobuf *context, const struct hw_type *type, const void *input,
                                           uint32_t length) {
    if (UNLIKELY(!context->read_in_heap || !hw_protobuf_ready_in_heap(type, length)))
        return read_slowly(context, type, input, length);
    struct hw_protobuf_begun begun = hw_protobuf_begin_in_heap(context->limits, type, input, length);

    if (UNLIKELY(begun.tag < 0)) return read_slowly(context, type, input, length);
    if (UNLIKELY(hw_command_wait(begun.tag) != HW_STATUS_OK))
        return failed_in_heap(context, type, input, length, begun.tag);
    return hw_protobuf_take_in_heap(begun);
}
