/* The cases about commands in two steps, and about where their images lie. */

#include "cases.h"

#include "../../common/script/graph.h"
#include "cereal/flight.h"
#include "runtime/heap/epoch.h"
#include "runtime/heap/adopt.h"

#define CONTEXTS 4

static struct hw_cereal contexts[CONTEXTS];
static struct hw_cereal_output outputs[CONTEXTS];
static struct hw_cereal_input inputs[CONTEXTS];
static _Alignas(64) uint8_t works[CONTEXTS][1024];

static void begin_all(void) {
    begin(false);
    for (uint32_t i = 0; i < CONTEXTS; i++) {
        hw_cereal_open(&contexts[i], works[i], sizeof works[i]);
        hw_cereal_output_open(&outputs[i], memory + 512 * i, 512);
        hw_cereal_input_open(&inputs[i], memory + 512 * i, 512);
    }
}

/* Several commands of one thread, finished in another order than begun, with collections in between. */
CASE(two_steps) {
    hw_handle copies[CONTEXTS];

    begin_all();
    for (uint32_t i = 0; i < CONTEXTS; i++) EXPECT(hw_cereal_write_begin(&contexts[i], &outputs[i], list(i + 1)));
    hw_collect(false);
    for (uint32_t i = CONTEXTS; i-- > 0;)
        EXPECT(hw_cereal_write_end(&contexts[i], &outputs[i]) && outputs[i].at > memory + 512 * i);
    for (uint32_t i = 0; i < CONTEXTS; i++)
        EXPECT(hw_cereal_read_begin(&contexts[i], &inputs[i]) && inputs[i].at == memory + 512 * i);
    hw_collect(true);
    for (uint32_t i = CONTEXTS; i-- > 0;)
        EXPECT(hw_cereal_read_end(&contexts[i], &inputs[i], &copies[i]) && inputs[i].at == outputs[i].at);
    hw_collect(false);
    for (uint32_t i = 0; i < CONTEXTS; i++) EXPECT(length_of(copies[i]) == i + 1 && contexts[i].fallbacks == 2);
    EXPECT(hw_epochs_open() == 0);
    test_walk();
}

/* Begins and ends that do not match. */
CASE(out_of_turn) {
    hw_handle copy;

    begin_all();
    struct hw_cereal *first = &contexts[0];

    EXPECT(!hw_cereal_write_end(first, &outputs[0]) && first->status == HW_STATUS_OUT_OF_TURN);
    hw_cereal_clear(first);
    EXPECT(hw_cereal_write_begin(first, &outputs[0], list(3)));
    EXPECT(!hw_cereal_write_end(first, &outputs[1]) && first->status == HW_STATUS_OUT_OF_TURN);
    hw_cereal_clear(first);
    EXPECT(!hw_cereal_read_end(first, &inputs[0], &copy) && first->status == HW_STATUS_OUT_OF_TURN);
    hw_cereal_clear(first);
    EXPECT(!hw_cereal_read_begin(first, &inputs[0]) && first->status == HW_STATUS_OUT_OF_TURN);
    hw_cereal_clear(first);
    EXPECT(hw_cereal_write_end(first, &outputs[0]) && hw_cereal_read(first, &inputs[0], &copy) && length_of(copy) == 3);
    /* A command that has begun must end, even after another error. Its handle is freed. */
    hw_cereal_input_open(&inputs[0], memory, 512);
    hw_scope before = hw_scope_open();

    EXPECT(hw_cereal_read_begin(first, &inputs[0]) && hw_scope_open() == before + 1);
    memory[32] ^= 2;
    EXPECT(!hw_cereal_read_end(first, &inputs[0], &copy) && first->status == HW_STATUS_BAD_VALUE &&
           hw_scope_open() == before);
    EXPECT(!hw_cereal_read_begin(first, &inputs[0]) && !hw_cereal_read_end(first, &inputs[0], &copy));
    test_walk();
}

static void settle_nothing(struct hw_pending *pending) { hw_pending_end(pending, HW_PENDING_DONE); }

static void fill(const struct hw_reserve *piece, uint32_t bytes) {
    EXPECT(piece->start % HW_RESERVE_ALIGNMENT == 0 && piece->limit - piece->start >= bytes);
    hw_make_filler(piece->start, piece->start + bytes);
    hw_reserve_commit(piece, piece->start + bytes);
}

/* Reserved pieces of the arena, of eden behind it and of the large space are committed whole, in part, or not at all,
 * in any order. */
CASE(pieces) {
    static const uint32_t sizes[] = {24, 1000, 40000, 24, 60000, 200000, 16, 300000, 50000};
    enum { PIECES = sizeof sizes / sizeof sizes[0] };
    struct hw_reserve taken[PIECES];
    uint32_t seed = 7, places = 0;

    begin(false);
    for (uint32_t round = 0; round < 200; round++) {
        struct hw_pending pending = {.settle = settle_nothing};
        bool out[PIECES];

        for (uint32_t i = 0; i < PIECES; i++) {
            EXPECT(hw_reserve_take(&taken[i], sizes[i]));
            places |= 1u << taken[i].place;
            hw_memory_allow(taken[i].start, taken[i].limit);
            out[i] = true;
            if (i == 0) hw_pending_add(hw_thread, &pending, 3);
            EXPECT(!hw_thread_settled(hw_thread)); /* no safepoint was needed */
        }
        for (uint32_t left = PIECES; left;) {
            uint32_t i = (seed = seed * 1103515245 + 12345) >> 16;
            struct hw_reserve *piece = &taken[i % PIECES];

            if (!out[i % PIECES]) continue;
            out[i % PIECES] = false;
            left--;
            if (i & 0x100)
                hw_reserve_drop(piece);
            else
                fill(piece, i & 0x200 ? sizes[i % PIECES] : 16);
        }
        hw_safepoint_settle();
        test_walk();
        if (round % 2 == 0) hw_collect(round % 4 == 0);
        hw_collect(true);
    }
    EXPECT(places == (1u << HW_RESERVE_ARENA | 1u << HW_RESERVE_EDEN | 1u << HW_RESERVE_LARGE));
    EXPECT(!hw_reserve_take(&taken[0], 3u << 20) && hw_error_clear() == HW_STATUS_OUT_OF_MEMORY);
    EXPECT(!hw_reserve_take(&taken[0], UINT32_MAX) && hw_error_clear() == HW_STATUS_OUT_OF_MEMORY);
}

static uint32_t yields;

/* Another thread, which ends its claims at last. */
void hw_thread_yield(void) {
    if (++yields == 2) hw_claiming = 0;
}

/* A command that writes waits while software claims objects. */
CASE(software_claims) {
    begin(false);
    context.written_by_unit = true;
    hw_claiming = 1;
    yields = 0;
    EXPECT(hw_cereal_write_begin(&context, &output, list(3)) && yields == 2);
    EXPECT(hw_cereal_write_end(&context, &output) && context.fallbacks == 1);
}

static uint32_t settled;

static void settle_other(struct hw_pending *pending) {
    settled++;
    hw_pending_end(pending, HW_PENDING_DONE);
}

/* A command of another driver is settled before one of Cereal's begins. */
CASE(commands_of_other_drivers) {
    struct hw_pending other = {.settle = settle_other};

    begin(false);
    hw_pending_add(hw_thread, &other, 3);
    settled = 0;
    EXPECT(hw_cereal_write_begin(&context, &output, list(3)) && settled == 1 && hw_thread_settled(hw_thread));
    EXPECT(hw_cereal_write_end(&context, &output));
}

CASE(what_units_leave_to_software) {
    EXPECT(hw_cereal_is_left(HW_STATUS_SHARED_OBJECT) && hw_cereal_is_left(HW_STATUS_WORK_FULL));
    EXPECT(!hw_cereal_is_left(HW_STATUS_OK) && !hw_cereal_is_left(HW_STATUS_BAD_STREAM));
}
