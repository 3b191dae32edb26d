/* Messages field by field: for every case the instructions must do what the software codec does: under interrupts, when
 * a handler or another thread uses the unit, and when a sequence fails. Prints counts and cycles. */
#include "fields.h"

#include <generated/csr.h>
#include <generated/soc.h>

#include "platform/cycles.h"
#include "platform/trap.h"
#include "thread/thread.h"
#include "protobuf/unit.h"

#define STORM 397 /* coprime to the cycles of the loops */
#define TICK 2003

static uint32_t interrupts, intrusions;

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

    open_places(&mine, &others);
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
