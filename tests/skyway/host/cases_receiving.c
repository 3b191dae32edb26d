/* The cases about streams that this project's senders never make. */
#include <string.h>

#include "cases.h"
#include "skyway/format.h"
#include "skyway/transfer/transfer.h"
#include "packet/body.h"

/* Makes a buffer in `memory` whose objects no root refers to. Returns its bytes. */
static uint32_t rootless(uint32_t nodes) {
    EXPECT(hw_skyway_write(&output, list(nodes)) && hw_skyway_output_close(&output));
    struct skyway_segment *segment = (struct skyway_segment *)(void *)(memory + sizeof(struct skyway_header));
    uint8_t *tops = (uint8_t *)(segment + 1) + segment->bytes;
    struct skyway_segment *end = (struct skyway_segment *)(void *)tops;

    EXPECT(segment->tops == 1);
    memmove(tops, tops + skyway_tops_bytes(1), sizeof *segment);
    segment->tops = 0;
    EXPECT(end->magic == SKYWAY_DONE && end->bytes == 1);
    end->bytes = 0;
    return (uint32_t)((uint8_t *)(end + 1) - memory);
}

/* The receiver does not learn of such a buffer, so it could never free it. */
CASE(without_roots) {
    static _Alignas(8) uint8_t work[1024];
    uint32_t bytes, taken, used;
    hw_handle copy;

    begin(false);
    bytes = rootless(100);
    hw_collect(true);
    used = hw_heap_used();
    hw_skyway_input_open(&input, &source, work, sizeof work, HW_SKYWAY_LAYOUT_METADATA);
    for (int i = 0; i < 300; i++) EXPECT(hw_skyway_take(&input, memory, bytes, &taken) && taken == bytes);
    hw_skyway_memory_source(&source, memory, bytes);
    EXPECT(!hw_skyway_read(&input, &copy) && input.status == HW_SKYWAY_END);
    hw_collect(true);
    EXPECT(hw_heap_used() == used);
    walk();
}

static uint32_t arrivals;

static void arrived(struct hw_skyway_receiver *receiver) {
    hw_skyway_free(receiver->input.buffer);
    arrivals++;
}

static struct packet request, response;

static uint8_t answered(struct hw_skyway_receiver *receiver, uint8_t operation, uint32_t word, const void *data,
                        uint32_t bytes) {
    request.operation = operation;
    request.length = 0;
    append(&request, 1);
    append(&request, 1);
    if (operation != SKYWAY_BEGIN) append(&request, word);
    memcpy(request.body + request.length, data, bytes);
    request.length += bytes;
    EXPECT(hw_skyway_receivers_answer(receiver, 1, &request, &response));
    return response.status;
}

/* The end of a transfer that never began is refused, also if its numbers are those of a receiver's memory, all 0. */
CASE(end_without_begin) {
    static _Alignas(8) uint8_t work[1024];
    static struct hw_skyway_receiver receiver;

    begin(false);
    hw_skyway_receiver_open(&receiver, work, sizeof work, HW_SKYWAY_LAYOUT_METADATA, arrived);
    arrivals = 0;
    request.operation = SKYWAY_FINISH;
    request.length = 12;
    memset(request.body, 0, 12);
    EXPECT(hw_skyway_receivers_answer(&receiver, 1, &request, &response));
    EXPECT(response.status == SKYWAY_REFUSED && arrivals == 0);
}

/* A transfer is one buffer. Another one behind it is rejected, even if the first one ends with a packet and has no
 * roots. */
CASE(one_buffer) {
    static _Alignas(8) uint8_t work[1024];
    static struct hw_skyway_receiver receiver;
    uint32_t bytes, used;

    begin(false);
    for (int roots = 1; roots >= 0; roots--) {
        if (roots) {
            EXPECT(hw_skyway_write(&output, list(5)) && hw_skyway_output_close(&output));
            bytes = (uint32_t)(sink.sink.at - memory);
        } else {
            begin_output(8192, CASES_MEMORY);
            bytes = rootless(5);
        }
        hw_collect(true);
        used = hw_heap_used();
        hw_skyway_receiver_open(&receiver, work, sizeof work, HW_SKYWAY_LAYOUT_METADATA, arrived);
        arrivals = 0;
        EXPECT(answered(&receiver, SKYWAY_BEGIN, 0, memory, 0) == SKYWAY_OK);
        EXPECT(answered(&receiver, SKYWAY_DATA, 0, memory, bytes) == SKYWAY_OK);
        /* repeated: the answer was lost */
        EXPECT(answered(&receiver, SKYWAY_DATA, 0, memory, bytes) == SKYWAY_OK && receiver.offset == bytes);
        EXPECT(answered(&receiver, SKYWAY_DATA, bytes, memory, bytes) == SKYWAY_REFUSED &&
               receiver.outcome == HW_STATUS_BAD_STREAM);
        EXPECT(answered(&receiver, SKYWAY_FINISH, bytes, memory, 0) == SKYWAY_REFUSED && arrivals == 0);
        hw_collect(true);
        EXPECT(hw_heap_used() == used);
    }
    walk();
}
