/* Commands in flight in plain arenas, in both directions: finished in any order, more than there are tags, two contexts
 * over the same arenas, no handle left, an error. */
#include "heap.h"
#include "platform/cycles.h"
#include "runtime/heap/safepoint.h"
#include "runtime/regions.h"
#include "runtime/schema.h"
#include "units/capability.h"
#include "protobuf/protobuf.h"

#define LANES 24 /* more than there are tags */
#define ROUNDS 6
#define LANE_BYTES (1u << 16)

struct lane {
    struct hw_arenas arenas;
    struct hw_protobuf context, other; /* both use `arenas` */
    struct hw_protobuf_reading reading;
    struct hw_protobuf_writing writing;
    uint32_t index; /* of the case */
    hw_handle message;
    struct hw_bytes bytes;
};

static struct lane lanes[LANES];
static uint32_t dice = 1, commands, in_flight;

static void read_begin(struct lane *lane, struct hw_protobuf *context, struct hw_protobuf_reading *command) {
    uint32_t length;
    const void *input = heap_case_input(lane->index, &length);

    EXPECT(hw_protobuf_read_begin(context, heap_case_type(lane->index), input, length, command));
    in_flight += hw_pending_in_flight(&command->pending);
    commands++;
}

static void lane_init(struct lane *lane, uint32_t number) {
    uint32_t half = LANE_BYTES / 2, base = HW_FIXED_BASE + number * LANE_BYTES;

    /* stale contents, as of a stack, which hw_protobuf_open must replace */
    lane->arenas.in_flight = hw_pointer(0xdeadbee0);
    EXPECT(hw_arena_init(&lane->arenas.fixed, base, half) && hw_arena_init(&lane->arenas.flexible, base + half, half));
    hw_protobuf_open(&lane->context, &lane->arenas);
    hw_protobuf_open(&lane->other, &lane->arenas);
}

/* Visits every lane once, from a random one on in random steps, so that commands are finished in another order than
 * begun. */
static struct lane *any_order(uint32_t i, uint32_t start, uint32_t step) { return &lanes[(start + i * step) % LANES]; }

static void round_of_messages(void) {
    static const uint32_t steps[] = {1, 5, 7, LANES - 1};
    hw_scope scope = hw_scope_open();
    uint32_t start = heap_draw(&dice, LANES), step = steps[heap_draw(&dice, 4)];

    for (uint32_t i = 0; i < LANES; i++) {
        lanes[i].index = heap_draw(&dice, heap_case_count);
        read_begin(&lanes[i], &lanes[i].context, &lanes[i].reading);
    }
    for (uint32_t i = 0; i < LANES; i++) {
        struct lane *lane = any_order(i, start, step);
        EXPECT(hw_protobuf_read_end(&lane->reading, &lane->message) && heap_is_case(lane->message, lane->index));
        uint32_t room = lane->arenas.flexible.limit - lane->arenas.flexible.top;

        EXPECT(hw_protobuf_write_begin(&lane->context, heap_case_type(lane->index), lane->message,
                                       hw_pointer(lane->arenas.flexible.top), room, &lane->writing));
        in_flight += hw_pending_in_flight(&lane->writing.pending);
        commands++;
    }
    for (uint32_t i = 0; i < LANES; i++) {
        struct lane *lane = any_order(i, start, step);
        EXPECT(hw_protobuf_write_end(&lane->writing, &lane->bytes));
    }
    for (uint32_t i = 0; i < LANES; i++) { /* the output must be the message; its objects lie behind the first ones */
        struct lane *lane = &lanes[i];
        hw_arena_reset(&lane->arenas.fixed);
        EXPECT(hw_protobuf_read(&lane->context, heap_case_type(lane->index), lane->bytes.data, lane->bytes.length,
                                &lane->message));
        EXPECT(heap_is_case(lane->message, lane->index));
        hw_arena_reset(&lane->arenas.fixed);
        hw_arena_reset(&lane->arenas.flexible);
    }
    hw_scope_close(scope);
}

/* The second command begins where the first one ends, whichever context it uses. */
static void same_arenas(bool other) {
    struct lane *lane = &lanes[0];
    struct hw_protobuf *second = other ? &lane->other : &lane->context;
    struct hw_protobuf_reading again;
    hw_scope scope = hw_scope_open();
    hw_handle first, last;

    lane->index = 0;
    read_begin(lane, &lane->context, &lane->reading);
    read_begin(lane, second, &again);
    EXPECT(lane->reading.pending.state == HW_PENDING_DONE && hw_pending_in_flight(&again.pending));
    hw_protobuf_open(&lane->other, &lane->arenas); /* notices the command in flight */
    EXPECT(lane->arenas.in_flight == &again.pending);
    EXPECT(hw_protobuf_read_end(&again, &last) && hw_protobuf_read_end(&lane->reading, &first));
    EXPECT(first->reference != last->reference && heap_is_case(first, 0) && heap_is_case(last, 0));
    EXPECT(!lane->arenas.in_flight && !hw_safepoint_in_flight(hw_thread));
    hw_arena_reset(&lane->arenas.fixed);
    hw_arena_reset(&lane->arenas.flexible);
    hw_scope_close(scope);
}

static void no_handle_left(void) {
    struct lane *lane = &lanes[0];
    hw_scope scope = hw_scope_open();
    uint32_t length;
    const void *input = heap_case_input(0, &length);

    while (hw_handle_room()) hw_handle_new(0);
    EXPECT(!hw_protobuf_read_begin(&lane->context, heap_case_type(0), input, length, &lane->reading));
    EXPECT(lane->context.status == HW_STATUS_NO_HANDLE && hw_error_clear() == HW_STATUS_NO_HANDLE &&
           !hw_safepoint_in_flight(hw_thread));
    hw_scope_close(scope);
    hw_protobuf_clear(&lane->context);
}

/* An error fails its own command, and later ones of the same context. */
static void damaged(void) {
    static const uint8_t input[] = {0xff, 0xff};
    struct lane *lane = &lanes[1];
    hw_scope scope = hw_scope_open();
    uint32_t top = lane->arenas.fixed.top;

    lanes[0].index = 0;
    read_begin(&lanes[0], &lanes[0].context, &lanes[0].reading);
    EXPECT(hw_protobuf_read_begin(&lane->context, heap_case_type(0), input, sizeof(input), &lane->reading));
    EXPECT(!hw_protobuf_read_end(&lane->reading, &lane->message));
    EXPECT(lane->context.status == HW_STATUS_TRUNCATED && lane->context.offset == 0 && lane->arenas.fixed.top == top);
    EXPECT(hw_protobuf_read_end(&lanes[0].reading, &lanes[0].message) && heap_is_case(lanes[0].message, 0));
    EXPECT(!hw_protobuf_read_begin(&lane->context, heap_case_type(0), input, sizeof(input), &lane->reading) &&
           !hw_safepoint_in_flight(hw_thread));
    hw_scope_close(scope);
}

/* The objects of a command belong to the arenas with which it was submitted, whatever happens to its context. */
static void context_begun_anew(void) {
    struct lane *lane = &lanes[0], *other = &lanes[2];
    uint32_t top = lane->arenas.fixed.top, other_top = other->arenas.fixed.top;
    hw_scope scope = hw_scope_open();

    read_begin(lane, &lane->context, &lane->reading);
    hw_protobuf_open(&lane->context, &other->arenas);
    EXPECT(!other->arenas.in_flight && lane->arenas.in_flight == &lane->reading.pending);
    EXPECT(hw_protobuf_read_end(&lane->reading, &lane->message) && heap_is_case(lane->message, lane->index));
    EXPECT(lane->arenas.fixed.top > top && other->arenas.fixed.top == other_top && !lane->arenas.in_flight);
    hw_protobuf_open(&lane->context, &lane->arenas);
    hw_scope_close(scope);
}

/* If a collector may not walk a schema's objects, the managed heap rejects the schema. */
static void not_collectable(void) {
    struct hw_protobuf context;
    struct hw_protobuf_reading command;
    uint32_t length;
    const void *input = heap_case_input(0, &length);

    hw_protobuf_open_heap(&context);
    hw_schema.collectable = false;
    EXPECT(!hw_protobuf_read_begin(&context, heap_case_type(0), input, length, &command) &&
           context.status == HW_STATUS_BAD_DESCRIPTOR);
    hw_schema.collectable = true;
}

/* A context that is told not to use the unit leaves its commands to software, which counts them. */
static void told_to_use_software(void) {
    struct lane *lane = &lanes[0];
    struct hw_protobuf context;
    struct hw_protobuf_reading command;
    hw_scope scope = hw_scope_open();
    uint32_t length;
    const void *input = heap_case_input(0, &length);
    hw_handle first, second;

    hw_protobuf_open(&context, &lane->arenas);
    hw_protobuf_software_only(&context);
    EXPECT(hw_protobuf_read(&context, heap_case_type(0), input, length, &first) && heap_is_case(first, 0));
    EXPECT(hw_protobuf_read_begin(&context, heap_case_type(0), input, length, &command));
    EXPECT(command.pending.state == HW_PENDING_DEFERRED && context.fallbacks == 1);
    EXPECT(hw_protobuf_read_end(&command, &second) && heap_is_case(second, 0) && context.fallbacks == 2);
    hw_arena_reset(&lane->arenas.fixed);
    hw_arena_reset(&lane->arenas.flexible);
    hw_scope_close(scope);
}

int main(void) {
    heap_open();
    for (uint32_t i = 0; i < LANES; i++) lane_init(&lanes[i], i);
    for (uint32_t round = 0; round < ROUNDS; round++) round_of_messages();
    same_arenas(false);
    same_arenas(true);
    no_handle_left();
    damaged();
    context_begun_anew();
    not_collectable();
    told_to_use_software();
    uint32_t fallbacks = 0;

    for (uint32_t i = 0; i < LANES; i++) fallbacks += lanes[i].context.fallbacks + lanes[i].other.fallbacks;
    printf("commands %lu in_flight %lu fallbacks %lu\n", (unsigned long)commands, (unsigned long)in_flight,
           (unsigned long)fallbacks);
    return 0;
}
