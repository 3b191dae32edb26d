/* One machine of a cluster: executes commands from standard input, and answers on standard output. node.py is the other
 * side. A command is two words, the operation and the number of words that follow, and these words.
 *
 *   node [plain] [--driver FD] [--patience MS]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "skyway/registry/driver.h"
#include "skyway/skyway.h"
#include "skyway/transfer/transfer.h"
#include "graph.h"
#include "line.h"
#include "medium.h"
#include "memory.h"
#include "generated/mem.h"
#include "runtime/heap/heap.h"
#include "runtime/heap/walk.h"

enum operation {
    END,
    DRIVE,
    JOIN,
    CLASS,
    LOAD,
    BUILD,
    PHASE,
    OPEN,
    WRITE,
    FLUSH,
    FINISH,
    MEANWHILE,
    TAKEN,
    READ,
    DESCRIBE,
    FREE,
    COLLECT,
    USED,
    KNOWN,
    HEAP,
    LIMITS,
    LINK,
    LINKED,
    SERVE,
};

#define STREAMS 16
/* An object array, which holds the roots of a buffer. */
#define HOLDER "[Ljava.lang.Object;"

static struct skyway_link driver_link, peer_link;
static struct test_line driver_line, peer_line;
static bool loads = true; /* classes are loaded when they are defined */
static hw_handle held;
static struct hw_skyway_layout own;

static struct stream {
    struct hw_skyway_output output;
    struct test_sink sink;
    struct hw_skyway_link_sink linked;
    struct hw_skyway_format format;
    void *work, *buffer;
} streams[STREAMS];

static uint32_t chunk_bytes, input_work = 1 << 16;

static void put(const void *data, size_t bytes) {
    if (bytes && fwrite(data, 1, bytes, stdout) != bytes) exit(2);
}

static void put_word(uint32_t word) { put(&word, sizeof word); }

static struct hw_klass *klass_named(const char *name) {
    for (uint32_t i = 0; i < test_class_count; i++)
        if (strcmp(hw_pointer(test_klasses[i].name), name) == 0) return &test_klasses[i];
    return NULL;
}

static const struct hw_skyway_loader loader = {.find = klass_named};

int32_t test_register_class(struct hw_klass *klass) {
    int status = loads ? hw_skyway_load_class(klass) : HW_STATUS_OK;

    return status == HW_STATUS_OK ? klass->type_id : -status;
}

static void hold(hw_handle handle) {
    hw_global_drop(held);
    held = handle ? hw_global_new(handle) : NULL;
}

static void build(const uint32_t *words) {
    hw_scope scope = hw_scope_open();
    hw_handle root = test_build(&words);

    if (!root) {
        printf("no room for a graph\n");
        exit(3);
    }
    hold(root);
    hw_scope_close(scope);
}

/* words: number, bytes of the output buffer, bytes of the work area, sends between collections, the bytes of the
 * receiver's format */
static void open_stream(const uint32_t *words) {
    struct stream *stream = &streams[words[0] % STREAMS];
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

    hw_skyway_write_object(&streams[number].output, hw_get_element(held, element));
    hw_scope_close(scope);
}

/* words: number, bytes of the output buffer, bytes of the work area. Opens the stream over the link. */
static void link_stream(const uint32_t *words) {
    struct stream *stream = &streams[words[0] % STREAMS];

    hw_skyway_output_close(&stream->output);
    free(stream->work);
    free(stream->buffer);
    stream->work = malloc(words[2]);
    stream->buffer = malloc(words[1]);
    hw_skyway_link_sink(&stream->linked, &peer_link, stream->buffer, words[1]);
    hw_skyway_output_open(&stream->output, &stream->linked.sink, stream->work, words[2], own);
}

static void answer_stream(struct stream *stream) {
    put_word((uint32_t)stream->output.status);
    put_word(stream->sink.size);
    put_word(stream->sink.sink.at ? stream->sink.aborts : (uint32_t)stream->linked.reason);
}

/* What another thread does while a stream waits for its sink. */
static uint32_t meanwhile_number, meanwhile_element;

static void meanwhile(void) { write_root(meanwhile_number, meanwhile_element); }

static void taken(struct stream *stream) {
    answer_stream(stream);
    put(stream->sink.kept, stream->sink.size);
    stream->sink.size = stream->sink.aborts = 0;
    hw_skyway_output_clear(&stream->output);
}

static void walk(void) { test_walk(); }

/* words: piece, fetches between collections, maximum number of buffers, bytes, stream. Reads all roots and holds them
 * in an array. Answers the status, the offset of the error, the number of roots, the number of buffers, and the number
 * of the last buffer. */
static void read_stream(const uint32_t *words) {
    uint32_t size = words[3], buffers = 0, count = 0, last = 0;
    uint8_t *data = malloc(size ? size : 1);
    void *work = malloc(input_work ? input_work : 1);
    struct test_source source;
    struct hw_skyway_input input;
    hw_handle roots[900], root;
    hw_scope scope = hw_scope_open();

    memcpy(data, words + 4, size);
    test_source_open(&source, data, size, words[0], words[1]);
    hw_skyway_input_open(&input, &source.source, work, input_work, own);
    input.chunk_bytes = chunk_bytes ? chunk_bytes : input.chunk_bytes;
    while (count < 900 && hw_skyway_read_object(&input, &root)) {
        buffers += input.buffer != last;
        last = input.buffer;
        roots[count++] = root;
    }
    put_word((uint32_t)input.status);
    put_word(input.at);
    put_word(count);
    put_word(buffers);
    put_word(input.buffer);
    if (klass_named(HOLDER)) {
        hw_handle holder = hw_new_array(klass_named(HOLDER), count);

        for (uint32_t i = 0; holder && i < count; i++) hw_set_element(holder, i, roots[i]);
        if (!holder) hw_exception_take();
        hold(holder);
    }
    hw_scope_close(scope);
    test_source_close(&source);
    free(data);
    free(work);
    walk();
}

static struct hw_skyway_receiver receivers[2];
static uint32_t arrivals, arrived_buffer;

/* Holds all roots of a received buffer in an array, and frees the buffer received before. */
static void arrived(struct hw_skyway_receiver *from) {
    hw_scope scope = hw_scope_open();
    hw_handle roots[900], root;
    uint32_t count = 0;

    while (count < 900 && hw_skyway_read_object(&from->input, &root)) roots[count++] = root;
    hw_handle holder = hw_new_array(klass_named(HOLDER), count);

    for (uint32_t i = 0; holder && i < count; i++) hw_set_element(holder, i, roots[i]);
    hold(holder);
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
    put_word(connected);
}

/* Serves requests until `idle` waits have passed without one, or `wanted` buffers have arrived, if that is not 0. */
static void serve_until(uint32_t idle, uint32_t wanted) {
    uint32_t waits = 0;
    bool good = true;

    arrivals = 0;
    while (waits < idle && good && (wanted == 0 || arrivals < wanted)) {
        uint32_t heard = peer_link.heard + peer_link.damaged;

        good = skyway_link_poll(&peer_link, true);
        waits = peer_link.heard + peer_link.damaged == heard ? waits + 1 : 0;
    }
    /* No sender will finish a transfer on this line. */
    for (int i = 0; i < 2; i++) hw_skyway_receiver_drop(&receivers[i]);
    put_word(good);
    put_word(arrivals);
    put_word(arrived_buffer);
    walk();
}

static void describe(void) {
    hw_ref *objects;
    uint32_t count, *words = test_describe(held->reference, &count, &objects);

    put_word(count);
    put(words, count * sizeof *words);
    free(objects);
    free(words);
}

static void start(const uint32_t *words) {
    struct hw_heap_options options = {
        .base = MAIN_RAM_BASE + 4096u,
        .bytes = words[1],
        .large_bytes = words[2],
        .eden_bytes = words[3],
        .region_bytes = words[4],
        .stress = words[0],
        .poison = true,
        .verify = true,
    };

    held = NULL;
    if (!hw_heap_init(&options)) exit(2);
}

static void step(enum operation operation, const uint32_t *words) {
    struct stream *stream = &streams[words[0] % STREAMS];
    int32_t id;

    switch (operation) {
        case DRIVE:
            hw_skyway_drive(words[0], &loader);
            put_word(HW_STATUS_OK);
            break;
        case JOIN:
            put_word((uint32_t)hw_skyway_join(&driver_link, &loader));
            break;
        case CLASS:
            loads = *words++;
            test_class(words, &id);
            put_word((uint32_t)id);
            break;
        case LOAD:
            put_word((uint32_t)test_register_class(&test_klasses[words[0]]));
            break;
        case KNOWN:
            put_word(test_klasses[words[0]].type_id);
            break;
        case BUILD:
            build(words);
            break;
        case PHASE:
            put_word((uint32_t)(words[0] ? hw_skyway_shuffle_start() : (hw_skyway_shuffle_end(), HW_STATUS_OK)));
            hw_exception_take();
            break;
        case OPEN:
            open_stream(words);
            break;
        case WRITE:
            write_root(words[0], words[1]);
            answer_stream(stream);
            break;
        case FLUSH:
            hw_skyway_flush(&stream->output);
            answer_stream(stream);
            break;
        case FINISH:
            hw_skyway_finish(&stream->output);
            answer_stream(stream);
            break;
        case MEANWHILE:
            stream->sink.meanwhile = meanwhile;
            meanwhile_number = words[1];
            meanwhile_element = words[2];
            break;
        case TAKEN:
            taken(stream);
            break;
        case READ:
            read_stream(words);
            break;
        case DESCRIBE:
            describe();
            break;
        case FREE:
            hw_skyway_free(words[0]);
            break;
        case COLLECT:
            if (words[1]) hold(NULL);
            hw_collect(words[0]);
            walk();
            break;
        case USED:
            put_word(hw_heap_used());
            break;
        case HEAP:
            start(words);
            break;
        case LINK:
            open_link(words);
            break;
        case LINKED:
            link_stream(words);
            break;
        case SERVE:
            serve_until(words[0], words[1]);
            break;
        case LIMITS:
            chunk_bytes = words[0];
            input_work = words[1];
            break;
        default:
            printf("operation %u\n", operation);
            exit(3);
    }
}

int main(int argc, char **argv) {
    static const uint32_t usual[] = {0, 8u << 20, 3u << 20, 512u << 10, 16384};
    uint32_t head[2], capacity = 0, *words = NULL;

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
    start(usual);
    while (fread(head, 1, sizeof head, stdin) == sizeof head && head[0] != END) {
        /* head: operation, number of words */
        if (head[1] + 8 > capacity) words = realloc(words, (capacity = 2 * head[1] + 8) * sizeof *words);
        memset(words, 0, 8 * sizeof *words);
        if (fread(words, sizeof *words, head[1], stdin) != head[1]) exit(2);
        step((enum operation)head[0], words);
        fflush(stdout);
    }
    for (uint32_t i = 0; i < STREAMS; i++) {
        hw_skyway_output_close(&streams[i].output);
        test_sink_close(&streams[i].sink);
        free(streams[i].work);
        free(streams[i].buffer);
    }
    hw_skyway_shuffle_end();
    hw_collect(true);
    test_walk();
    free(words);
    return 0;
}
