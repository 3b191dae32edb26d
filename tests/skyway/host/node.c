/* One machine of a cluster. Executes a script (tests/common/script/script.h), which node.py sends step by step. Place 0
 * holds the root that was built, or an array of the roots that were read.
 *
 *   node [plain] [--driver FD] [--patience MS]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "skyway/skyway.h"
#include "skyway/transfer/transfer.h"
#include "../../common/expect.h"
#include "../../common/script/graph.h"
#include "../../common/script/script.h"
#include "line.h"
#include "medium.h"
#include "memory.h"
#include "runtime/heap/heap.h"

#define STREAMS 16
/* An object array, which holds the roots of a buffer. */
#define HOLDER "[Ljava.lang.Object;"

static struct skyway_link driver_link, peer_link;
static struct test_line driver_line, peer_line;
static struct hw_skyway_layout own;

static struct stream {
    struct hw_skyway_output output;
    struct test_sink sink;
    struct hw_skyway_link_sink linked;
    struct hw_skyway_format format;
    void *work, *buffer;
} streams[STREAMS];

static uint32_t chunk_bytes, input_work = 1 << 16;

static const struct hw_skyway_loader loader = {.find = test_class_named};

int32_t test_register_class(struct hw_klass *klass) {
    int status = hw_skyway_load_class(klass);

    return status == HW_STATUS_OK ? klass->type_id : -status;
}

/* words: number, bytes of the output buffer, bytes of the work area, sends between collections, the bytes of the
 * receiver's format */
static void open_stream(const uint32_t *words) {
    struct stream *stream = &streams[words[0]];
    uint8_t *format = (uint8_t *)&stream->format;

    free(stream->work);
    test_sink_close(&stream->sink);
    stream->work = malloc(words[2] ? words[2] : 1);
    test_sink_open(&stream->sink, words[1], words[3]);
    for (size_t i = 0; i < sizeof stream->format; i++) format[i] = (uint8_t)words[4 + i];
    hw_skyway_output_open(&stream->output, &stream->sink.sink, stream->work, words[2], HW_SKYWAY_LAYOUT_METADATA);
    hw_skyway_output_for(&stream->output, &stream->format);
}

static void write_root(uint32_t number, uint32_t element) {
    hw_scope scope = hw_scope_open();

    hw_skyway_write(&streams[number].output, hw_get_element(script_places[0], element));
    hw_scope_close(scope);
}

/* words: number, bytes of the output buffer, bytes of the work area. Opens the stream over the link. */
static void link_stream(const uint32_t *words) {
    struct stream *stream = &streams[words[0]];

    hw_skyway_output_close(&stream->output);
    free(stream->work);
    free(stream->buffer);
    stream->work = malloc(words[2]);
    stream->buffer = malloc(words[1]);
    hw_skyway_link_sink(&stream->linked, &peer_link, stream->buffer, words[1]);
    hw_skyway_output_open(&stream->output, &stream->linked.sink, stream->work, words[2], own);
}

static void answer_stream(struct stream *stream) {
    script_put_word((uint32_t)stream->output.status);
    script_put_word(stream->sink.size);
    script_put_word(stream->sink.sink.at ? stream->sink.aborts : (uint32_t)stream->linked.reason);
}

/* What another thread does while a stream waits for its sink. */
static uint32_t meanwhile_number, meanwhile_element;

static void meanwhile(void) { write_root(meanwhile_number, meanwhile_element); }

/* words: number. Answers with the bytes sent since the last time. */
static void taken(const uint32_t *words) {
    struct stream *stream = &streams[words[0]];

    answer_stream(stream);
    script_put(stream->sink.kept, stream->sink.size);
    stream->sink.size = stream->sink.aborts = 0;
    hw_skyway_output_clear(&stream->output);
}

/* words: piece, fetches between collections, bytes, stream. Reads all roots and holds them
 * in an array. Answers the status, the offset of the error, the number of roots, the number of buffers, and the number
 * of the last buffer. */
static void read_stream(const uint32_t *words) {
    uint32_t size = words[2], buffers = 0, count = 0, last = 0;
    uint8_t *data = malloc(size ? size : 1);
    void *work = malloc(input_work ? input_work : 1);
    struct test_source source;
    struct hw_skyway_input input;
    hw_handle roots[900], root;
    hw_scope scope = hw_scope_open();

    memcpy(data, words + 3, size);
    test_source_open(&source, data, size, words[0], words[1]);
    hw_skyway_input_open(&input, &source.source, work, input_work, own);
    input.chunk_bytes = chunk_bytes ? chunk_bytes : input.chunk_bytes;
    while (count < 900 && hw_skyway_read(&input, &root)) {
        buffers += input.buffer != last;
        last = input.buffer;
        roots[count++] = root;
    }
    script_put_word((uint32_t)input.status);
    script_put_word(input.at);
    script_put_word(count);
    script_put_word(buffers);
    script_put_word(input.buffer);
    if (test_class_named(HOLDER)) {
        hw_handle holder = hw_new_array(test_class_named(HOLDER), count);

        for (uint32_t i = 0; holder && i < count; i++) hw_set_element(holder, i, roots[i]);
        if (!holder) hw_error_clear();
        script_keep(0, holder);
    }
    hw_scope_close(scope);
    test_source_close(&source);
    free(data);
    free(work);
    test_walk();
}

static struct hw_skyway_receiver receivers[2];
static uint32_t arrivals, arrived_buffer;

/* Holds all roots of a received buffer in an array, and frees the buffer received before. */
static void arrived(struct hw_skyway_receiver *from) {
    hw_scope scope = hw_scope_open();
    hw_handle roots[900], root;
    uint32_t count = 0;

    while (count < 900 && hw_skyway_read(&from->input, &root)) roots[count++] = root;
    hw_handle holder = hw_new_array(test_class_named(HOLDER), count);

    for (uint32_t i = 0; holder && i < count; i++) hw_set_element(holder, i, roots[i]);
    script_keep(0, holder);
    hw_skyway_free(arrived_buffer);
    arrived_buffer = from->input.buffer;
    arrivals++;
    hw_scope_close(scope);
}

static void serve(struct skyway_link *link, const struct packet *request, struct packet *response) {
    (void)link;
    if (!skyway_driver_answer(request, response)) hw_skyway_receivers_answer(receivers, 2, request, response);
}

/* words: port, sender, patience. Connects, after closing an earlier connection. Answers whether it succeeded. */
static void open_link(const uint32_t *words) {
    static void *work[2];

    for (int i = 0; i < 2 && !work[i]; i++) {
        work[i] = malloc(input_work);
        hw_skyway_receiver_open(&receivers[i], work[i], input_work, own, arrived);
    }
    hw_skyway_sender = words[1];
    bool connected = test_line_connect(&peer_line, (uint16_t)words[0], (int)words[2]);

    skyway_link_open(&peer_link, &peer_line.line);
    peer_link.serve = serve;
    script_put_word(connected);
}

/* words: idle, wanted. Serves requests until `idle` waits have passed without one, or `wanted` buffers have arrived, if
 * that is not 0. */
static void serve_until(const uint32_t *words) {
    uint32_t idle = words[0], wanted = words[1], waits = 0;
    bool good = true;

    arrivals = 0;
    while (waits < idle && good && (wanted == 0 || arrivals < wanted)) {
        uint32_t heard = peer_link.heard + peer_link.damaged;

        good = skyway_link_poll(&peer_link, true);
        waits = peer_link.heard + peer_link.damaged == heard ? waits + 1 : 0;
    }
    /* No sender will finish a transfer on this line. */
    for (int i = 0; i < 2; i++) hw_skyway_receiver_drop(&receivers[i]);
    script_put_word(good);
    script_put_word(arrivals);
    script_put_word(arrived_buffer);
    test_walk();
}

/* words: registry */
static void drive(const uint32_t *words) {
    hw_skyway_drive(words[0], &loader);
    script_put_word(HW_STATUS_OK);
}

static void join(const uint32_t *words) {
    (void)words;
    script_put_word((uint32_t)hw_skyway_join(&driver_link, &loader));
}

/* words: class */
static void load(const uint32_t *words) { script_put_word((uint32_t)test_register_class(&test_klasses[words[0]])); }
static void known(const uint32_t *words) { script_put_word(test_klasses[words[0]].type_id); }

/* words: whether a phase starts, or ends */
static void phase(const uint32_t *words) {
    script_put_word((uint32_t)(words[0] ? hw_skyway_shuffle_start() : (hw_skyway_shuffle_end(), HW_STATUS_OK)));
    hw_error_clear();
}

/* words: number, element of the held array */
static void write_step(const uint32_t *words) {
    write_root(words[0], words[1]);
    answer_stream(&streams[words[0]]);
}

/* words: number */
static void flush(const uint32_t *words) {
    hw_skyway_flush(&streams[words[0]].output);
    answer_stream(&streams[words[0]]);
}

static void finish(const uint32_t *words) {
    hw_skyway_output_end(&streams[words[0]].output);
    answer_stream(&streams[words[0]]);
}

/* words: number; number and element of what is written when the stream sends next */
static void other_writes(const uint32_t *words) {
    streams[words[0]].sink.meanwhile = meanwhile;
    meanwhile_number = words[1];
    meanwhile_element = words[2];
}

/* words: buffer */
static void free_buffer(const uint32_t *words) { hw_skyway_free(words[0]); }

/* words: bytes of a regular chunk, 0 for a region; bytes of the work area of an input */
static void limits(const uint32_t *words) {
    chunk_bytes = words[0];
    input_work = words[1];
}

const struct script_operation script_operations[] = {
    {"drive", drive},       {"join", join},
    {"load", load},         {"known", known},
    {"phase", phase},       {"open", open_stream},
    {"write", write_step},  {"flush", flush},
    {"finish", finish},     {"meanwhile", other_writes},
    {"taken", taken},       {"read", read_stream},
    {"free", free_buffer},  {"limits", limits},
    {"link", open_link},    {"linked", link_stream},
    {"serve", serve_until}, {0},
};

int main(int argc, char **argv) {
    int driver = -1, patience = 3000;

    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "plain")) test_metadata = false;
        if (!strcmp(argv[i], "--driver")) driver = atoi(argv[i + 1]);
        if (!strcmp(argv[i], "--patience")) patience = atoi(argv[i + 1]);
    }
    test_line_open(&driver_line, driver, driver, patience);
    own = test_metadata ? HW_SKYWAY_LAYOUT_METADATA : HW_SKYWAY_LAYOUT_PLAIN;
    skyway_link_open(&driver_link, &driver_line.line);
    memory_map();
    script_run();
    for (uint32_t i = 0; i < STREAMS; i++) {
        hw_skyway_output_close(&streams[i].output);
        test_sink_close(&streams[i].sink);
        free(streams[i].work);
        free(streams[i].buffer);
    }
    hw_skyway_shuffle_end();
    hw_collect(true);
    test_walk();
    return 0;
}
