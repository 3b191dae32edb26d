#include "runtime/heap/adopt.h"

#include "runtime/heap/collect.h"

static bool place(struct hw_reserve *piece, enum hw_reserve_place where, hw_ref base, uint32_t bytes) {
    hw_ref start = (base + HW_RESERVE_ALIGNMENT - 1) / HW_RESERVE_ALIGNMENT * HW_RESERVE_ALIGNMENT;

    *piece = (struct hw_reserve){.start = start, .limit = start + bytes, .base = base, .place = where};
    return true;
}

static bool in_arena(struct hw_reserve *piece, uint32_t bytes) {
    place(piece, HW_RESERVE_ARENA, hw_thread->unit.fixed.top, bytes);
    hw_thread->unit.fixed.top = piece->limit;
    return true;
}

static bool in_large_space(struct hw_reserve *piece, uint32_t bytes) {
    hw_ref run = 0;

    if (bytes <= INT32_MAX && !hw_space.options.stress) run = hw_large_take(bytes);
    if (bytes <= INT32_MAX && !run) run = hw_collect_for_run(bytes);
    if (run) return place(piece, HW_RESERVE_LARGE, run, bytes);
    hw_error_raise(HW_STATUS_OUT_OF_MEMORY);
    return false;
}

bool hw_reserve_take(struct hw_reserve *piece, uint32_t bytes) {
    uint32_t padded = hw_object_round(bytes) + HW_RESERVE_ALIGNMENT - HW_OBJECT_ALIGNMENT;

    if (bytes > INT32_MAX || padded > hw_eden_share()) return in_large_space(piece, hw_object_round(bytes));
    if (hw_adopt_ready(padded) && !hw_thread->unit_large[0]) return in_arena(piece, hw_object_round(bytes));
    if (!hw_thread_settled(hw_thread)) {
        /* A new arena would have to wait for the commands in flight. */
        hw_ref base = hw_eden_try(padded);

        if (base) {
            place(piece, HW_RESERVE_EDEN, base, hw_object_round(bytes));
            hw_make_filler(piece->limit, base + padded);
            return true;
        }
    }
    hw_safepoint_settle();
    hw_adopt_drop_large(); /* a deferred read has left it, and makes room again when it ends */
    return hw_adopt_room(padded, 0) && in_arena(piece, hw_object_round(bytes));
}

/* Gives back the memory from `top` on. If the piece is the last of its arena, the arena gets the memory back, unless a
 * command is building objects behind it. */
static void give_back(const struct hw_reserve *piece, hw_ref top) {
    struct hw_arenas *unit = &hw_thread->unit;

    if (piece->place == HW_RESERVE_ARENA && unit->fixed.top == piece->limit && !unit->in_flight)
        unit->fixed.top = top;
    else
        hw_make_filler(top, piece->limit);
}

void hw_reserve_commit(const struct hw_reserve *piece, hw_ref top) {
    if (piece->place == HW_RESERVE_LARGE) {
        hw_large_commit(piece->base, top - piece->base);
        return;
    }
    hw_make_filler(piece->base, piece->start);
    give_back(piece, top);
}

void hw_reserve_drop(const struct hw_reserve *piece) {
    if (piece->place == HW_RESERVE_LARGE)
        hw_large_commit(piece->base, 0);
    else
        give_back(piece, piece->base);
}
