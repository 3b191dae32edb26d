#include "programs/shuffle/shuffle.h"

#include <stdio.h>
#include <string.h>

#include "programs/serializers/serializers.h"
#include "runtime/crc32.h"
#include "runtime/heap/heap.h"

const char *const shuffle_time_names[SHUFFLE_TIMES] = {SHUFFLE_TIME_NAMES};

static uint64_t now(const struct shuffle *shuffle) { return shuffle->clock ? shuffle->clock() : 0; }

void shuffle_time(struct shuffle *shuffle, enum shuffle_time time) {
    uint64_t clock = now(shuffle), collected = hw_heap_statistics.young_cycles + hw_heap_statistics.full_cycles;
    uint64_t pauses = collected - shuffle->collected;

    shuffle->times[shuffle->now] += clock - shuffle->since - pauses;
    shuffle->times[SHUFFLE_COLLECTION] += pauses;
    shuffle->now = time;
    shuffle->since = clock;
    shuffle->collected = collected;
}

/* Restarts the clock, since other workers may have used the machine meanwhile. */
static void begin_time(struct shuffle *shuffle, enum shuffle_time time) {
    shuffle->now = time;
    shuffle->since = now(shuffle);
    shuffle->collected = hw_heap_statistics.young_cycles + hw_heap_statistics.full_cycles;
}

bool shuffle_fail(struct shuffle *shuffle, const char *why) {
    if (shuffle->state != SHUFFLE_FAILED) {
        shuffle->state = SHUFFLE_FAILED;
        shuffle->failure = why;
    }
    return false;
}

uint32_t shuffle_crc32(uint32_t crc, uint64_t value) {
    uint8_t bytes[8];

    for (uint32_t i = 0; i < sizeof bytes; i++) bytes[i] = (uint8_t)(value >> 8 * i);
    return hw_crc32(crc, bytes, sizeof bytes);
}

void shuffle_emit(struct shuffle *shuffle, const char *key, uint64_t value) {
    shuffle->digest += shuffle_crc32(hw_crc32(0, key, strlen(key) + 1), value);
    shuffle->results++;
    if (shuffle->emit) shuffle->emit(shuffle, key, value);
}

void shuffle_open(struct shuffle *shuffle, const struct shuffle_program *program, const struct serializer *serializer,
                  uint32_t worker, uint32_t workers, uint32_t scale) {
    *shuffle = (struct shuffle){
        .program = program, .serializer = serializer, .worker = worker, .workers = workers, .scale = scale};
    if (workers == 0 || workers > SHUFFLE_WORKERS || worker >= workers || scale == 0)
        shuffle_fail(shuffle, "no such worker");
}

void shuffle_streams(struct shuffle *shuffle, uint8_t *memory, uint32_t each) {
    for (uint32_t peer = 0; peer < shuffle->workers; peer++, memory += 2 * each) {
        shuffle->out[peer] = (struct shuffle_bytes){.data = memory, .capacity = each};
        shuffle->in[peer] = (struct shuffle_bytes){.data = memory + each, .capacity = each};
    }
}

/* The streams that a program writes to and reads from: the serializer's stream with the clock. */
struct timed_output {
    struct hw_object_output stream, *inner;
    struct shuffle *shuffle;
};

struct timed_input {
    struct hw_object_input stream, *inner;
    struct shuffle *shuffle;
};

static bool write_object(struct hw_object_output *stream, hw_handle object) {
    struct timed_output *timed = (struct timed_output *)stream;

    shuffle_time(timed->shuffle, SHUFFLE_SERIALIZE);
    bool good = hw_objects_write(timed->inner, object);

    shuffle_time(timed->shuffle, SHUFFLE_COMPUTATION);
    timed->shuffle->objects++;
    return good || shuffle_fail(timed->shuffle, "an object cannot be written");
}

/* shuffle_send closes the stream, not the program. */
static bool close_nothing(struct hw_object_output *stream) {
    (void)stream;
    return true;
}

static bool read_object(struct hw_object_input *stream, hw_handle *object) {
    struct timed_input *timed = (struct timed_input *)stream;

    shuffle_time(timed->shuffle, SHUFFLE_DESERIALIZE);
    bool good = hw_objects_read(timed->inner, object);

    shuffle_time(timed->shuffle, SHUFFLE_COMPUTATION);
    return good || shuffle_fail(timed->shuffle, "an object cannot be read");
}

static bool send_to(struct shuffle *shuffle, uint32_t peer) {
    const struct serializer *serializer = shuffle->serializer;
    struct shuffle_bytes *out = &shuffle->out[peer];
    hw_scope scope = hw_scope_open();

    shuffle_time(shuffle, SHUFFLE_SERIALIZE);
    struct timed_output timed = {.stream = {.write_object = write_object, .close = close_nothing},
                                 .inner = serializer->output(serializer, out->data, out->capacity),
                                 .shuffle = shuffle};

    shuffle_time(shuffle, SHUFFLE_COMPUTATION);
    bool good = shuffle->program->send(shuffle, peer, &timed.stream);

    shuffle_time(shuffle, SHUFFLE_SERIALIZE);
    good = hw_objects_close(timed.inner) && good;
    out->bytes = good ? serializer->written() : 0;
    shuffle_time(shuffle, SHUFFLE_COMPUTATION);
    hw_scope_close(scope);
    *(peer == shuffle->worker ? &shuffle->local_bytes : &shuffle->remote_bytes) += out->bytes;
    return good || shuffle_fail(shuffle, "a stream cannot be written");
}

/* Gives every other worker the bytes that are there for this one. */
static void spread(struct shuffle *shuffle) {
    const struct shuffle_bytes *own = &shuffle->out[shuffle->worker];

    for (uint32_t peer = 0; peer < shuffle->workers; peer++) shuffle->out[peer] = *own;
    shuffle->remote_bytes += (uint64_t)own->bytes * (shuffle->workers - 1);
}

enum shuffle_state shuffle_send(struct shuffle *shuffle) {
    if (shuffle->state != SHUFFLE_RUNNING) return shuffle->state;
    if (shuffle->phase == 0 && shuffle->serializer->begin && !shuffle->serializer->begin()) {
        shuffle_fail(shuffle, "this machine has no unit for it");
        return shuffle->state;
    }
    begin_time(shuffle, SHUFFLE_COMPUTATION);
    hw_scope scope = hw_scope_open();

    if (shuffle->phase == 0 && !shuffle->program->begin(shuffle)) shuffle_fail(shuffle, "no room to begin");
    hw_scope_close(scope);
    shuffle_time(shuffle, SHUFFLE_SERIALIZE);
    if (shuffle->serializer->shuffle_start && !shuffle->serializer->shuffle_start())
        shuffle_fail(shuffle, "no phase can begin");
    for (uint32_t peer = 0; peer < shuffle->workers && shuffle->state == SHUFFLE_RUNNING; peer++)
        if (!shuffle->broadcast || peer == shuffle->worker) send_to(shuffle, peer);
    if (shuffle->broadcast) spread(shuffle);
    shuffle_time(shuffle, SHUFFLE_COMPUTATION);
    return shuffle->state;
}

static bool receive_from(struct shuffle *shuffle, uint32_t peer) {
    const struct serializer *serializer = shuffle->serializer;
    const struct shuffle_bytes *in = peer == shuffle->worker ? &shuffle->out[peer] : &shuffle->in[peer];
    hw_scope scope = hw_scope_open();

    shuffle_time(shuffle, SHUFFLE_DESERIALIZE);
    struct timed_input timed = {.stream = {.read_object = read_object},
                                .inner = serializer->input(serializer, in->data, in->bytes),
                                .shuffle = shuffle};

    shuffle_time(shuffle, SHUFFLE_COMPUTATION);
    bool good = shuffle->program->receive(shuffle, peer, &timed.stream);

    shuffle_time(shuffle, SHUFFLE_DESERIALIZE);
    hw_scope_close(scope);
    if (serializer->release) serializer->release();
    shuffle_time(shuffle, SHUFFLE_COMPUTATION);
    return good || shuffle_fail(shuffle, "what was read is not what was expected");
}

enum shuffle_state shuffle_receive(struct shuffle *shuffle) {
    const struct shuffle_program *program = shuffle->program;
    bool more = false;

    if (shuffle->state != SHUFFLE_RUNNING) return shuffle->state;
    begin_time(shuffle, SHUFFLE_COMPUTATION);
    for (uint32_t peer = 0; peer < shuffle->workers && shuffle->state == SHUFFLE_RUNNING; peer++)
        if (!shuffle->broadcast || peer != shuffle->worker) receive_from(shuffle, peer);
    hw_scope scope = hw_scope_open();

    if (shuffle->state == SHUFFLE_RUNNING && program->compute && !program->compute(shuffle, &more))
        shuffle_fail(shuffle, "no room to compute");
    shuffle->phase++;
    if (shuffle->state == SHUFFLE_RUNNING && !more) {
        shuffle->state = SHUFFLE_DONE;
        if (program->finish && !program->finish(shuffle)) shuffle_fail(shuffle, "no room for the results");
    }
    hw_scope_close(scope);
    shuffle_time(shuffle, SHUFFLE_COMPUTATION);
    return shuffle->state;
}

bool shuffle_run(struct shuffle *shuffle) {
    while (shuffle_send(shuffle) == SHUFFLE_RUNNING) {
        if (shuffle->workers > 1 && !shuffle->exchange(shuffle)) return false;
        shuffle_time(shuffle, SHUFFLE_COMPUTATION);
        shuffle_receive(shuffle);
    }
    return shuffle->state == SHUFFLE_DONE;
}

void shuffle_print(const struct shuffle *shuffle) {
    printf("\"phases\":%lu,\"roots\":%lu,\"collections\":%lu,\"results\":%lu,\"digest\":%lu,",
           (unsigned long)shuffle->phase, (unsigned long)shuffle->objects,
           (unsigned long)(hw_heap_statistics.young_collections + hw_heap_statistics.full_collections),
           (unsigned long)shuffle->results, (unsigned long)shuffle->digest);
}

void shuffle_close(struct shuffle *shuffle) {
    hw_global_drop(shuffle->data);
    hw_global_drop(shuffle->more);
    shuffle->data = shuffle->more = NULL;
}
