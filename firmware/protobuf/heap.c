/* The driver in the managed heap: every attempt gets room in eden, a repeated one more room, and only complete graphs
 * are committed. */
#include "runtime/heap/adopt.h"
#include "runtime/schema.h"
#include "protobuf/unit.h"

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

static inline __attribute__((always_inline)) struct hw_protobuf_outcome attempt(struct hw_protobuf *context,
                                                                                const struct hw_type *type,
                                                                                const void *input, uint32_t length) {
    const struct hw_arenas *unit = &hw_thread->unit;
    int32_t tag =
        context->read_by_unit ? hw_protobuf_begin(context->max_depth, unit, type, input, length) : HW_SUBMIT_NO_UNIT;

    if (__builtin_expect(tag < 0, 0)) return hw_protobuf_software(context, unit, type, input, length);
    struct hw_protobuf_outcome outcome = hw_protobuf_end(tag);

    if (__builtin_expect(hw_protobuf_left(outcome.status), 0))
        return hw_protobuf_software(context, unit, type, input, length);
    return outcome;
}

bool hw_protobuf_in_heap(struct hw_protobuf *context, const struct hw_type *type, const void *input, uint32_t length,
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
        outcome = attempt(context, type, input, length);
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
