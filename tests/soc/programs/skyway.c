/* One of two machines on a line. Executes a script in the load region on Skyway over the second UART
 * (tests/common/script/script.h). */
#include <stdlib.h>

#include "../../common/expect.h"
#include "../../common/script/graph.h"
#include "../../common/script/script.h"
#include "platform/link_uart.h"
#include "runtime/heap/heap.h"
#include "skyway/skyway.h"
#include "skyway/transfer/transfer.h"

#define RECEIVERS 2
#define WORK_BYTES (1u << 16)
#define IDLE 10 /* waits without a frame after which nothing more is expected */

static struct hw_skyway_line line;
static struct skyway_link link;
static struct hw_skyway_receiver receivers[RECEIVERS];
static uint32_t next_place, arrivals, buffers[SCRIPT_PLACES];

static const struct hw_skyway_loader loader = {.find = test_class_named};

int32_t test_register_class(struct hw_klass *klass) {
    int status = hw_skyway_load_class(klass);

    return status == HW_STATUS_OK ? klass->type_id : -status;
}

/* Puts the roots of a buffer into the next places. */
static void arrived(struct hw_skyway_receiver *from) {
    hw_scope scope = hw_scope_open();
    hw_handle root;

    while (hw_skyway_read(&from->input, &root)) script_keep(next_place++, root);
    EXPECT(arrivals < SCRIPT_PLACES);
    buffers[arrivals++] = from->input.buffer;
    hw_scope_close(scope);
}

static void serve(struct skyway_link *on, const struct packet *request, struct packet *response) {
    (void)on;
    if (!skyway_driver_answer(request, response)) hw_skyway_receivers_answer(receivers, RECEIVERS, request, response);
}

/* words: first, count, bytes of the buffer. Sends the roots of `count` places from `first` on in one buffer. Answers a
 * status, and the reason if it was not sent. */
static void send(const uint32_t *words) {
    uint8_t *work = malloc(WORK_BYTES), *buffer = malloc(words[2]);
    struct hw_skyway_link_sink sink;
    struct hw_skyway_output output;

    hw_skyway_link_sink(&sink, &link, buffer, words[2]);
    hw_skyway_output_open(&output, &sink.sink, work, WORK_BYTES, HW_SKYWAY_LAYOUT_METADATA);
    for (uint32_t i = 0; i < words[1]; i++) hw_skyway_write(&output, script_places[words[0] + i]);
    hw_skyway_output_close(&output);
    script_put_word((uint32_t)output.status);
    script_put_word((uint32_t)sink.reason);
    test_walk();
}

/* words: wanted, first. Serves the link until `wanted` buffers have arrived. Puts their roots into places from `first`
 * on. Answers the number of buffers, of roots and of damaged frames. */
static void receive(const uint32_t *words) {
    uint32_t wanted = words[0], first = words[1], idle = 0;

    next_place = first;
    arrivals = 0;
    while (arrivals < wanted && idle < IDLE) {
        uint32_t heard = link.heard;

        EXPECT(skyway_link_poll(&link, true));
        idle = link.heard == heard ? idle + 1 : 0;
    }
    script_put_word(arrivals);
    script_put_word(next_place - first);
    script_put_word(link.damaged);
    test_walk();
}

/* words: registry */
static void drive(const uint32_t *words) { hw_skyway_drive(words[0], &loader); }

static void join(const uint32_t *words) {
    (void)words;
    script_put_word((uint32_t)hw_skyway_join(&link, &loader));
}

static void phase(const uint32_t *words) {
    (void)words;
    script_put_word((uint32_t)hw_skyway_shuffle_start());
}

/* Frees the buffers that arrived last, and ends the phase. */
static void free_arrived(const uint32_t *words) {
    (void)words;
    for (uint32_t i = 0; i < arrivals; i++) hw_skyway_free(buffers[i]);
    hw_skyway_shuffle_end();
}

/* words: patience, this machine's number */
static void open_link(const uint32_t *words) {
    static uint8_t work[RECEIVERS][4096] __attribute__((aligned(64)));

    EXPECT(hw_link_uart_present());
    uart_line_open(&line, words[0]);
    skyway_link_open(&link, &line);
    link.serve = serve;
    hw_skyway_sender = words[1];
    for (int i = 0; i < RECEIVERS; i++)
        hw_skyway_receiver_open(&receivers[i], work[i], sizeof work[i], HW_SKYWAY_LAYOUT_METADATA, arrived);
}

const struct script_operation script_operations[] = {
    {"link", open_link}, {"drive", drive},     {"join", join},         {"phase", phase},
    {"send", send},      {"receive", receive}, {"free", free_arrived}, {0},
};

int main(void) {
    script_run();
    hw_link_uart_flush();
    return 0;
}
