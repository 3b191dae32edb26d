/* The cases about phases and their epochs. */
#include "cases.h"
#include "runtime/heap/epoch.h"

/* 300 phases, and the last epoch: a full collection clears the claims, unless another serialization is open. */
CASE(last_epoch) {
    begin(false);
    hw_handle root = list(5);

    for (int i = 0; i < 300; i++) {
        begin_output(1024, CASES_MEMORY);
        EXPECT(hw_skyway_shuffle_start() == HW_STATUS_OK && hw_skyway_write(&output, root) &&
               output.free == 16 + 5 * NODE_BYTES);
        EXPECT(hw_skyway_output_close(&output));
    }
    hw_skyway_shuffle_end();
    hw_epoch_reset(HW_EPOCH_LAST);
    uint32_t full = hw_heap_statistics.full_collections;

    EXPECT(hw_skyway_shuffle_start() == HW_STATUS_OK && skyway_phase.epoch == HW_EPOCH_LAST);
    EXPECT(hw_skyway_write(&output, root) && hw_heap_statistics.full_collections == full);
    uint32_t number = skyway_phase.number;

    EXPECT(hw_skyway_shuffle_start() == HW_STATUS_OK && skyway_phase.epoch == 1 && skyway_phase.number == number + 1);
    EXPECT(hw_heap_statistics.full_collections == full + 1);
    EXPECT(hw_skyway_write(&output, root) && output.free == 16 + 5 * NODE_BYTES);
    hw_skyway_shuffle_end();
    hw_epoch_reset(HW_EPOCH_LAST);
    uint32_t other = hw_epoch_open();

    EXPECT(hw_skyway_shuffle_start() == HW_STATUS_OUT_OF_EPOCHS && hw_error_clear() == HW_STATUS_OUT_OF_EPOCHS);
    hw_skyway_output_clear(&output);
    EXPECT(!hw_skyway_write(&output, root) && output.status == HW_SKYWAY_NO_PHASE);
    hw_epoch_close(other);
    EXPECT(hw_skyway_shuffle_start() == HW_STATUS_OK);
}

static uint32_t sends, aborts;

/* Another thread begins a phase while the second segment is being sent. */
static bool send_meanwhile(struct hw_skyway_sink *to, uint32_t bytes) {
    (void)to;
    (void)bytes;
    if (++sends == 3) EXPECT(hw_skyway_shuffle_start() == HW_STATUS_OK);
    return true;
}

static void abort_meanwhile(struct hw_skyway_sink *to) {
    (void)to;
    aborts++;
}

/* The phase ends in the middle of a root. */
CASE(phase_meanwhile) {
    static _Alignas(8) uint8_t buffer[256], work[1 << 12];
    struct hw_skyway_sink draining = {.at = buffer,
                                      .limit = buffer + sizeof buffer,
                                      .send = send_meanwhile,
                                      .abort = abort_meanwhile,
                                      .drains = true};
    hw_handle root;

    begin(false);
    root = list(50);
    hw_skyway_output_open(&output, &draining, work, sizeof work, HW_SKYWAY_LAYOUT_METADATA);
    EXPECT(!hw_skyway_write(&output, root) && output.status == HW_SKYWAY_NO_PHASE && aborts == 1 && sends == 3);
    hw_skyway_output_clear(&output);
    EXPECT(hw_skyway_write(&output, root) && output.free == 16 + 50 * NODE_BYTES && output.shared.count == 0);
    EXPECT(hw_skyway_output_close(&output));
    walk();
}

static hw_handle both;

/* Another thread runs before the first claim. It begins a phase and sends the same graph in it. */
static bool phase_of_another(void) {
    static _Alignas(8) uint8_t other_memory[CASES_MEMORY], work[1 << 12];
    struct hw_skyway_memory_sink other_sink;
    struct hw_skyway_output other;

    hw_claims_by_units = NULL;
    hw_critical_leave();
    EXPECT(hw_skyway_shuffle_start() == HW_STATUS_OK);
    open_output(&other, &other_sink, other_memory, sizeof other_memory, work, sizeof work);
    EXPECT(hw_skyway_write(&other, both) && hw_skyway_output_close(&other));
    hw_critical_enter();
    return false;
}

/* The phase ends after the last check: all objects would be cloned at once, claimed by an owner that is no longer
 * valid. */
CASE(phase_before_claims) {
    begin(false);
    both = list(20);
    hw_claims_by_units = phase_of_another;
    EXPECT(!hw_skyway_write(&output, both) && output.status == HW_SKYWAY_NO_PHASE && sink.sink.at == memory);
    hw_skyway_output_clear(&output);
    EXPECT(hw_skyway_write(&output, both) && hw_skyway_output_close(&output));
    walk();
}

/* A new heap has no phase: its epochs have the same numbers as the old heap's, but are different ones. */
CASE(new_heap) {
    hw_handle root;

    begin(false);
    EXPECT(hw_skyway_write(&output, list(5)) && skyway_phase_epoch() == 1);
    begin_heap(false);
    root = list(5);
    EXPECT(!hw_skyway_write(&output, root) && output.status == HW_SKYWAY_NO_PHASE);
    uint32_t other = hw_epoch_open();

    EXPECT(other == 1 && skyway_phase_epoch() == 0);
    hw_skyway_output_clear(&output);
    EXPECT(!hw_skyway_write(&output, root) && output.status == HW_SKYWAY_NO_PHASE);
    hw_skyway_shuffle_end();
    EXPECT(hw_epoch_counts(other << HW_EPOCH_SHIFT | HW_EPOCH_LAST) && hw_skyway_shuffle_start() == HW_STATUS_OK &&
           hw_epoch_counts(other << HW_EPOCH_SHIFT | HW_EPOCH_LAST));
    EXPECT(hw_epoch_claim(hw_pointer(root->reference), other << HW_EPOCH_SHIFT | output.stream));
    begin_output(1024, CASES_MEMORY);
    EXPECT(hw_skyway_write(&output, root) && output.shared.count == 1 && hw_skyway_output_close(&output));
    walk();
}
