/* Messages field by field: for every case the instructions must do what the software codec does: under interrupts, when
 * a handler or another thread uses the unit, and when a sequence fails. Prints counts and cycles. */
#include <string.h>

#include <generated/csr.h>
#include <generated/soc.h>

#include "programs/batch/workload.h"
#include "../../common/expect.h"
#include "platform/cycles.h"
#include "platform/trap.h"
#include "runtime/regions.h"
#include "runtime/schema.h"
#include "thread/thread.h"
#include "units/capability.h"
#include "protobuf/fields/instructions.h"
#include "protobuf/fields/registry.h"
#include "protobuf/unit.h"

#define DEPTH 100
#define QUARTER (HW_FLEXIBLE_BYTES / 4)
#define GUARD 64u
#define STORM 397 /* coprime to the cycles of the loops */
#define TICK 2003

static const struct workload *workload;
static uint32_t interrupts, intrusions, cases_done;

/* Memory for one user of the unit: arenas in the fixed region, output in the flexible one. */
struct place {
    struct hw_arenas heap;
    uint8_t *output, *expected;
    uint32_t bytes;
};

static void place_init(struct place *place, uint32_t index) {
    EXPECT(hw_arena_init(&place->heap.fixed, HW_FIXED_BASE + index * QUARTER, QUARTER / 2));
    EXPECT(hw_arena_init(&place->heap.flexible, HW_FIXED_BASE + index * QUARTER + QUARTER / 2, QUARTER / 2));
    place->output = hw_pointer(HW_FLEXIBLE_BASE + index * QUARTER + GUARD);
    place->expected = place->output + QUARTER / 2;
    place->bytes = QUARTER / 2 - 2 * GUARD;
}

static const struct hw_type *case_type(uint32_t index) {
    return hw_schema_find(workload_at(workload, workload->cases[index].type));
}

static const struct hw_fields_type *fields_type(uint32_t index) {
    const struct hw_fields_type *type = hw_fields_find(workload_at(workload, workload->cases[index].type));

    EXPECT(type);
    return type;
}

/* Checks one case in both directions, and measures the cycles of each. */
static void check_case(struct place *place, uint32_t index, uint32_t *parse, uint32_t *serialize) {
    const struct workload_case *item = &workload->cases[index];
    const struct hw_type *type = case_type(index);
    const void *input = workload_at(workload, item->message);
    uint32_t start;

    hw_arena_reset(&place->heap.fixed);
    hw_arena_reset(&place->heap.flexible);
    start = cycles_now();
    struct hw_protobuf_codec_object parsed =
        hw_fields_read(fields_type(index), input, item->length, DEPTH, &place->heap);

    *parse = cycles_now() - start;
    EXPECT(parsed.status == HW_STATUS_OK);
    EXPECT(hw_digest(hw_pointer(parsed.root), type) == item->digest);

    uint32_t bound = place->heap.fixed.base, limit = place->heap.flexible.limit;
    struct hw_protobuf_codec_bytes expected =
        hw_protobuf_codec_write(type, parsed.root, DEPTH, place->expected, place->bytes, bound, limit);

    EXPECT(expected.status == HW_STATUS_OK);
    uint32_t size = expected.length + index % 3;

    place->output[-1] = place->output[size] = 0xa5;
    start = cycles_now();
    struct hw_protobuf_codec_bytes output =
        hw_fields_write(fields_type(index), parsed.root, DEPTH, place->output, size, bound, limit);

    *serialize = cycles_now() - start;
    EXPECT(output.status == HW_STATUS_OK && output.length == expected.length &&
           output.start == place->output + index % 3);
    EXPECT(!memcmp(output.start, expected.start, expected.length));
    EXPECT(place->output[-1] == 0xa5 && place->output[size] == 0xa5);
    cases_done++;
}

static void check_all(struct place *place) {
    uint32_t parse, serialize;

    for (uint32_t i = 0; i < workload->count; i++) check_case(place, i, &parse, &serialize);
}

/* Output that is too small and input that is cut off: the software codec answers, and is counted. */
static void check_failures(struct place *place) {
    uint32_t before = hw_fields_fallbacks, calls = 0;

    for (uint32_t i = 0; i < workload->count && calls < 40; i++) {
        const struct workload_case *item = &workload->cases[i];
        const struct hw_type *type = case_type(i);
        const void *input = workload_at(workload, item->message);

        if (item->length < 2) continue;
        hw_arena_reset(&place->heap.fixed);
        hw_arena_reset(&place->heap.flexible);
        struct hw_arenas again = place->heap;
        struct hw_protobuf_codec_object expected = hw_protobuf_codec_read(type, input, item->length - 1, DEPTH, &again);
        struct hw_protobuf_codec_object found =
            hw_fields_read(fields_type(i), input, item->length - 1, DEPTH, &place->heap);

        EXPECT(found.status == expected.status && found.offset == expected.offset);
        calls += expected.status != HW_STATUS_OK;

        hw_arena_reset(&place->heap.fixed);
        hw_arena_reset(&place->heap.flexible);
        found = hw_protobuf_codec_read(type, input, item->length, DEPTH, &place->heap);
        uint32_t bound = place->heap.fixed.base, limit = place->heap.flexible.limit;
        uint32_t length =
            hw_protobuf_codec_write(type, found.root, DEPTH, place->expected, place->bytes, bound, limit).length;
        struct hw_protobuf_codec_bytes output =
            hw_fields_write(fields_type(i), found.root, DEPTH, place->output, length - 1, bound, limit);

        EXPECT(output.status == HW_STATUS_OUTPUT_FULL && output.length == 0);
        calls++;
        /* A heap that ends before the object does. */
        output = hw_fields_write(fields_type(i), found.root, DEPTH, place->output, place->bytes, bound, found.root + 8);
        EXPECT(output.status == HW_STATUS_BAD_OBJECT);
        calls++;
    }
    EXPECT(calls > 0 && hw_fields_fallbacks - before >= calls);
}

static uint32_t random_below(uint32_t bound) {
    static uint32_t state = 1;

    state = state * 1664525 + 1013904223;
    return (state >> 8) % bound;
}

/* Ends an arena after about `bytes`, with a guard behind. */
static void bound_arena(struct hw_arena *arena, uint32_t bytes) {
    hw_arena_reset(arena);
    arena->limit = arena->base + bytes / 8 * 8;
    memset(hw_pointer(arena->limit), 0xa5, GUARD);
}

static bool guarded(const struct hw_arena *arena) {
    for (uint32_t i = 0; i < GUARD; i++)
        if (((const uint8_t *)hw_pointer(arena->limit))[i] != 0xa5) return false;
    return true;
}

/* Input that is damaged somewhere, in arenas that may be too small: status, offset and message are the codec's, and
 * nothing is stored outside. */
static uint32_t check_damage(struct place *place, struct place *other, uint32_t rounds) {
    uint32_t refused = 0;

    for (uint32_t n = 0; n < rounds; n++) {
        uint32_t index = random_below(workload->count), length = workload->cases[index].length;
        const struct hw_type *type = case_type(index);
        uint8_t *input = place->expected;

        if (length == 0 || length > place->bytes) continue;
        memcpy(input, workload_at(workload, workload->cases[index].message), length);
        for (uint32_t i = random_below(3); i > 0; i--) input[random_below(length)] = (uint8_t)random_below(256);
        if (random_below(4) == 0) length = random_below(length);
        struct hw_arenas heap = place->heap, again = other->heap;
        uint32_t fixed = n % 4 ? QUARTER / 4 : random_below(1000), flexible = n % 8 ? QUARTER / 4 : random_below(200);

        bound_arena(&heap.fixed, fixed), bound_arena(&heap.flexible, flexible);
        bound_arena(&again.fixed, fixed), bound_arena(&again.flexible, flexible);
        struct hw_protobuf_codec_object expected = hw_protobuf_codec_read(type, input, length, DEPTH, &again);
        struct hw_protobuf_codec_object found = hw_fields_read(fields_type(index), input, length, DEPTH, &heap);

        EXPECT(found.status == expected.status && found.offset == expected.offset);
        EXPECT(guarded(&heap.fixed) && guarded(&heap.flexible));
        if (found.status == HW_STATUS_OK)
            EXPECT(hw_digest(hw_pointer(found.root), type) == hw_digest(hw_pointer(expected.root), type));
        else
            EXPECT(found.root == 0 && heap.fixed.top == heap.fixed.base && heap.flexible.top == heap.flexible.base);
        refused += found.status != HW_STATUS_OK;
    }
    return refused;
}

static void acknowledge(void) {
    timer0_ev_pending_write(1);
    interrupts++;
}

/* A handler that serializes a message of its own. */
static void intrude(void) {
    static uint32_t number = 5;
    static uint8_t buffer[16];

    timer0_ev_pending_write(1);
    interrupts++;
    hw_field_set_up(HW_FIELD_SET_UP_OUTPUT, buffer, sizeof(buffer));
    hw_field_set_up(HW_FIELD_SET_UP_HEAP, &number, &number + 1);
    hw_serfield(HW_TYPE_UINT32, &number, 3);
    EXPECT(hw_chksuccess(HW_FIELD_CHECK_LENGTH, 0) == 2 && hw_chksuccess(HW_FIELD_CHECK_STATUS, 0) == HW_STATUS_OK);
    EXPECT(buffer[14] == 0x18 && buffer[15] == 5);
    intrusions++;
}

/* A command while a sequence is open: the command succeeds. If a single engine executes both, the command has broken
 * the sequence; otherwise the sequence goes on. */
static void check_command_within(struct place *place) {
    static uint32_t number = 5;
    static uint8_t buffer[16];
    const struct workload_case *item = &workload->cases[0];
    const void *input = workload_at(workload, item->message);

    if (!hw_unit_for(HW_CAPABLE_PROTOBUF_DESERIALIZE)) return;
    for (int round = 0; round < 3; round++) {
        hw_arena_reset(&place->heap.fixed);
        hw_arena_reset(&place->heap.flexible);
        hw_field_set_up(HW_FIELD_SET_UP_OUTPUT, buffer, sizeof(buffer));
        hw_field_set_up(HW_FIELD_SET_UP_HEAP, &number, &number + 1);
        hw_serfield(HW_TYPE_UINT32, &number, 3);
        struct hw_protobuf_outcome outcome =
            hw_protobuf_unit_end(hw_protobuf_unit_begin(DEPTH, &place->heap, case_type(0), input, item->length));

        EXPECT(outcome.status == HW_STATUS_OK && hw_digest(hw_pointer(outcome.root), case_type(0)) == item->digest);
        hw_serfield(HW_TYPE_UINT32, &number, 3);
        uint32_t length = hw_chksuccess(HW_FIELD_CHECK_LENGTH, 0), status = hw_chksuccess(HW_FIELD_CHECK_STATUS, 0);

        if (hw_unit_count(HW_UNIT_PROTOBUF_ENGINE) == 1)
            EXPECT(status == HW_STATUS_BROKEN && length == 0);
        else
            EXPECT(status == HW_STATUS_OK && length == 4);
    }
}

static void storm(void (*handler)(void), uint32_t cycles) {
    timer0_en_write(0);
    timer0_ev_pending_write(1);
    hw_interrupt_attach(TIMER0_INTERRUPT, cycles ? handler : NULL);
    timer0_load_write(cycles);
    timer0_reload_write(cycles);
    timer0_ev_enable_write(cycles != 0);
    timer0_en_write(cycles != 0);
    if (cycles) __asm__ volatile("csrs mstatus, 8" ::: "memory");
}

static void other_thread(void *argument) {
    for (int round = 0; round < 3; round++) check_all(argument);
}

static struct hw_thread thread;
static uint32_t stack[4096];

/* Measures a case: the best of three runs. */
static void measure(struct place *place, uint32_t index) {
    uint32_t parse, serialize, best_parse = UINT32_MAX, best_serialize = UINT32_MAX, table_parse = UINT32_MAX, start;
    uint32_t table_serialize = UINT32_MAX, unit_parse = UINT32_MAX, unit_serialize = UINT32_MAX;
    const struct workload_case *item = &workload->cases[index];
    const void *input = workload_at(workload, item->message);
    const struct hw_type *type = case_type(index);

    for (int round = 0; round < 3; round++) {
        check_case(place, index, &parse, &serialize);
        best_parse = parse < best_parse ? parse : best_parse;
        best_serialize = serialize < best_serialize ? serialize : best_serialize;
        struct hw_arenas heap = place->heap;

        hw_arena_reset(&heap.fixed);
        hw_arena_reset(&heap.flexible);
        start = cycles_now();
        struct hw_protobuf_outcome outcome =
            hw_protobuf_unit_end(hw_protobuf_unit_begin(DEPTH, &heap, type, input, item->length));
        start = cycles_now() - start;
        if (outcome.status == HW_STATUS_OK) unit_parse = start < unit_parse ? start : unit_parse;
        hw_arena_reset(&heap.fixed);
        hw_arena_reset(&heap.flexible);
        start = cycles_now();
        struct hw_protobuf_codec_object parsed = hw_protobuf_codec_read(type, input, item->length, DEPTH, &heap);
        start = cycles_now() - start;
        table_parse = start < table_parse ? start : table_parse;
        uint32_t bound = heap.fixed.base, limit = heap.flexible.limit;

        start = cycles_now();
        hw_protobuf_codec_write(type, parsed.root, DEPTH, place->expected, place->bytes, bound, limit);
        start = cycles_now() - start;
        table_serialize = start < table_serialize ? start : table_serialize;
        if (!hw_unit_for(HW_CAPABLE_PROTOBUF_SERIALIZE)) continue;
        int32_t tag;

        start = cycles_now();
        do {
            hw_command_stage(0, parsed.root, hw_reference(type));
            hw_command_stage(1, DEPTH, hw_reference(place->output));
            hw_command_stage(2, hw_reference(place->output) + place->bytes, bound);
            tag = hw_command_submit(HW_OP_PROTOBUF_SERIALIZE, limit, 0);
        } while (tag < 0);
        EXPECT(hw_command_finish(tag) == HW_STATUS_OK);
        start = cycles_now() - start;
        hw_command_release(tag);
        unit_serialize = start < unit_serialize ? start : unit_serialize;
    }
    printf("# %s, %lu bytes: parse fields %lu unit %lu table %lu; serialize fields %lu unit %lu table %lu\n",
           (const char *)workload_at(workload, item->name), (unsigned long)item->length, (unsigned long)best_parse,
           (unsigned long)(unit_parse == UINT32_MAX ? 0 : unit_parse), (unsigned long)table_parse,
           (unsigned long)best_serialize, (unsigned long)(unit_serialize == UINT32_MAX ? 0 : unit_serialize),
           (unsigned long)table_serialize);
}

int main(void) {
    struct place mine, others;

    hw_capability_discover();
    workload = workload_open();
    EXPECT(workload && hw_fields_present());
    place_init(&mine, 0);
    place_init(&others, 1);

    check_all(&mine);
    EXPECT(hw_fields_broken == 0);
    uint32_t fallbacks = hw_fields_fallbacks;

    for (uint32_t i = 0; i < workload->count; i++) measure(&mine, i);
    hw_fields_fallbacks = 0;
    check_failures(&mine);
    check_command_within(&mine);
    uint32_t failures = hw_fields_fallbacks;
    uint32_t refused = check_damage(&mine, &others, 300);

    /* Interrupts alone break no sequence. */
    storm(acknowledge, STORM);
    check_all(&mine);
    storm(NULL, 0);
    EXPECT(hw_fields_broken == 0 && interrupts > 20);

    storm(intrude, TICK);
    for (int round = 0; round < 3; round++) check_all(&mine);
    storm(NULL, 0);
    uint32_t broken = hw_fields_broken;

    EXPECT(broken != 0 && intrusions > 10);
    hw_thread_preempt(TICK);
    EXPECT(hw_thread_start(&thread, stack, sizeof(stack), other_thread, &others));
    for (int round = 0; round < 3; round++) check_all(&mine);
    hw_thread_join(&thread);
    hw_thread_preempt(0);
    printf("cases %lu fallbacks %lu failures %lu refused %lu interrupts %lu broken %lu broken_by_threads %lu\n",
           (unsigned long)cases_done, (unsigned long)fallbacks, (unsigned long)failures, (unsigned long)refused,
           (unsigned long)interrupts, (unsigned long)broken, (unsigned long)(hw_fields_broken - broken));
    return 0;
}
