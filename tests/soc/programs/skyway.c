/* One of two machines on a line. Executes a script in the load region on Skyway over the second UART, and leaves
 * answers behind it. tests/soc/skyway_script.py writes the script and reads the answers. Graphs are those of
 * tests/cereal/host/graph.h, in places of their own. */
#include <string.h>

#include "../../cereal/host/graph.h"
#include "../../common/expect.h"
#include "skyway/registry/driver.h"
#include "skyway/skyway.h"
#include "skyway/transfer/transfer.h"
#include "platform/link_uart.h"
#include "skyway/uart_line.h"
#include "runtime/heap/heap.h"
#include "runtime/heap/space.h"
#include "script.h"

enum operation { END, DRIVE, JOIN, CLASS, BUILD, PHASE, SEND, RECEIVE, DESCRIBE, COLLECT, STRESS, FREE, USED, HASHES };

#define PLACES 64
#define RECEIVERS 2
#define WORK_BYTES (1u << 16)
#define IDLE 10 /* waits without a frame after which nothing more is expected */

static hw_handle places[PLACES];
static struct hw_skyway_line line;
static struct skyway_link link;
static struct hw_skyway_receiver receivers[RECEIVERS];
static uint32_t next_place, arrivals, buffers[PLACES];

static void keep(uint32_t place, hw_handle handle) {
    EXPECT(place < PLACES);
    hw_global_drop(places[place]);
    places[place] = handle ? hw_global_new(handle) : NULL;
}

static struct hw_klass *klass_named(const char *name) {
    for (uint32_t i = 0; i < test_class_count; i++)
        if (strcmp(hw_pointer(test_klasses[i].name), name) == 0) return &test_klasses[i];
    return NULL;
}

static const struct hw_skyway_loader loader = {.find = klass_named};

int32_t test_register_class(struct hw_klass *klass) {
    int status = hw_skyway_load_class(klass);

    return status == HW_STATUS_OK ? klass->type_id : -status;
}

/* Puts the roots of a buffer into the next places. */
static void arrived(struct hw_skyway_receiver *from) {
    hw_scope scope = hw_scope_open();
    hw_handle root;

    while (hw_skyway_read_object(&from->input, &root)) keep(next_place++, root);
    EXPECT(arrivals < PLACES);
    buffers[arrivals++] = from->input.buffer;
    hw_scope_close(scope);
}

static void serve(struct skyway_link *on, const struct packet *request, struct packet *response) {
    (void)on;
    if (!skyway_driver_answer(request, response)) hw_skyway_receivers_answer(receivers, RECEIVERS, request, response);
}

/* Sends the roots of `count` places from `first` on in one buffer. Answers a status, and the reason if it was not
 * sent. */
static void send(uint32_t first, uint32_t count, uint32_t bytes) {
    uint8_t *work = hw_pointer(BUFFERS_BASE), *buffer = work + WORK_BYTES;
    struct hw_skyway_link_sink sink;
    struct hw_skyway_output output;

    hw_skyway_link_sink(&sink, &link, buffer, bytes);
    hw_skyway_output_open(&output, &sink.sink, work, WORK_BYTES, HW_SKYWAY_LAYOUT_METADATA);
    for (uint32_t i = 0; i < count; i++) hw_skyway_write_object(&output, places[first + i]);
    hw_skyway_output_close(&output);
    script_put_word((uint32_t)output.status);
    script_put_word((uint32_t)sink.reason);
    test_walk();
}

/* Serves the link until `wanted` buffers have arrived. Puts their roots into places from `first` on. Answers the number
 * of buffers, of roots and of damaged frames. */
static void receive(uint32_t wanted, uint32_t first) {
    uint32_t idle = 0;

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

static const uint32_t *step(enum operation operation, const uint32_t *words) {
    hw_scope scope = hw_scope_open();
    int32_t id;

    script_empty_store();
    switch (operation) {
        case DRIVE:
            hw_skyway_drive(*words++, &loader);
            break;
        case JOIN:
            script_put_word((uint32_t)hw_skyway_join(&link, &loader));
            break;
        case CLASS:
            words = test_class(words, &id);
            script_put_word((uint32_t)id);
            break;
        case BUILD: {
            uint32_t place = *words++;
            hw_handle root = test_build(&words);

            EXPECT(root);
            keep(place, root);
            hw_scope_close(scope);
            break;
        }
        case PHASE:
            script_put_word((uint32_t)hw_skyway_shuffle_start());
            break;
        case SEND:
            send(words[0], words[1], words[2]);
            return words + 3;
        case RECEIVE:
            receive(words[0], words[1]);
            return words + 2;
        case DESCRIBE:
            script_put_graph(places[*words++]->reference);
            break;
        case COLLECT:
            hw_collect(*words++);
            test_walk();
            break;
        case STRESS:
            hw_space.options.stress = *words++;
            break;
        case FREE: /* frees the buffers that arrived last, and every place */
            for (uint32_t place = 0; place < PLACES; place++) keep(place, NULL);
            for (uint32_t i = 0; i < arrivals; i++) hw_skyway_free(buffers[i]);
            hw_skyway_shuffle_end();
            hw_collect(true);
            test_walk();
            break;
        case USED:
            script_put_word(hw_heap_used());
            break;
        case HASHES:
            script_put_word(hw_identity_hash(places[*words++]));
            break;
        default:
            printf("operation %d\n", operation);
            hw_finish_now(3);
    }
    return words;
}

/* The script: heap base (relative to the flexible region), bytes, eden, large space; patience; this machine's number;
 * then operations. */
int main(void) {
    const uint32_t *words = hw_pointer(HW_LOAD_BASE);
    struct hw_heap_options options = {
        .base = HW_FLEXIBLE_BASE + words[0],
        .bytes = words[1],
        .eden_bytes = words[2],
        .large_bytes = words[3],
        .poison = true,
    };
    static uint8_t work[RECEIVERS][4096] __attribute__((aligned(64)));

    EXPECT(hw_link_uart_present() && hw_heap_init(&options));
    uart_line_open(&line, words[4]);
    skyway_link_open(&link, &line);
    link.serve = serve;
    hw_skyway_sender = words[5];
    for (int i = 0; i < RECEIVERS; i++)
        hw_skyway_receiver_open(&receivers[i], work[i], sizeof work[i], HW_SKYWAY_LAYOUT_METADATA, arrived);
    script_open();
    words += 6;
    while (*words != END) words = step((enum operation) * words, words + 1);
    hw_link_uart_flush();
    script_close();
    return 0;
}
