#include "programs/skyway/worker.h"

#include <stdio.h>
#include <string.h>

#include "skyway/registry/driver.h"
#include "skyway/registry/java_loader.h"
#include "skyway/skyway.h"
#include "programs/shuffle/serializers.h"
#include "programs/shuffle/shuffle.h"
#include "programs/skyway/exchange.h"
#include "runtime/heap/heap.h"
#include "runtime/java/class.h"
#include "runtime/java/enum.h"

#define WORKERS 2u
#define REGISTRY 0x5eedu
/* Number of streams. The serializers get half of the memory, each stream an eighth. */
#define STREAMS 4u

static const char no_room[] = "no room for the heap and the serializers";

static struct skyway_link link;
static struct exchange lane;
static struct shuffle shuffle;

static void serve(struct skyway_link *on, const struct packet *request, struct packet *response) {
    (void)on;
    if (!skyway_driver_answer(request, response)) exchange_answer(&lane, request, response);
}

/* Synchronizes both machines and numbers their classes. The driver receives first, so that it answers the other
 * machine's requests meanwhile. Returns NULL, or what went wrong. */
static const char *meet(const struct skyway_worker *options) {
    static const char *const silent = "the other machine does not answer";
    uint32_t bytes;

    exchange_begin(&lane, NULL, 0);
    if (options->worker == 0)
        hw_skyway_drive(REGISTRY, &hw_skyway_java_loader);
    else if (hw_skyway_join(&link, &hw_skyway_java_loader) != 0)
        return silent;
    if (hw_skyway_load_java_classes() != 0) return "a class has no number";
    bool met = options->worker == 0 ? exchange_receive(&lane, &bytes) && exchange_send(&lane, NULL, 0)
                                    : exchange_send(&lane, NULL, 0) && exchange_receive(&lane, &bytes);

    return met ? NULL : silent;
}

static bool exchange(struct shuffle *each) {
    uint32_t peer = 1 - each->worker;
    const struct shuffle_bytes *out = &each->out[peer];
    struct shuffle_bytes *in = &each->in[peer];

    shuffle_time(each, SHUFFLE_WRITE);
    exchange_begin(&lane, in->data, in->capacity);
    bool good = exchange_send(&lane, out->data, out->bytes);

    shuffle_time(each, SHUFFLE_READ);
    return (good && exchange_receive(&lane, &in->bytes)) ||
           shuffle_fail(each, "the other machine does not answer, or has no room");
}

static bool begin_heap(const struct skyway_worker *options) {
    const struct hw_heap_options heap = {
        .base = options->heap,
        .bytes = options->heap_bytes,
        .eden_bytes = options->heap_bytes / 16,
        .large_bytes = options->heap_bytes / 4,
    };

    hw_skyway_shuffle_end();
    return hw_heap_init(&heap) && hw_enums_init() &&
           shuffle_serializers_init(options->memory, options->memory_bytes / 2);
}

static void print(uint32_t fallbacks, bool ok) {
    printf("{\"program\":\"%s\",\"serializer\":\"%s\",\"scale\":%lu,\"worker\":%lu,", shuffle.program->name,
           shuffle.serializer->name, (unsigned long)shuffle.scale, (unsigned long)shuffle.worker);
    for (uint32_t time = 0; time < SHUFFLE_TIMES; time++)
        printf("\"%s\":%llu,", shuffle_time_names[time], (unsigned long long)shuffle.times[time]);
    printf(
        "\"local_bytes\":%llu,\"remote_bytes\":%llu,\"phases\":%lu,\"roots\":%lu,\"collections\":%lu,\"results\":%lu,"
        "\"digest\":%lu,",
        (unsigned long long)shuffle.local_bytes, (unsigned long long)shuffle.remote_bytes, (unsigned long)shuffle.phase,
        (unsigned long)shuffle.objects,
        (unsigned long)(hw_heap_statistics.young_collections + hw_heap_statistics.full_collections),
        (unsigned long)shuffle.results, (unsigned long)shuffle.digest);
    printf("\"resent\":%lu,\"damaged\":%lu,\"fallbacks\":%lu,\"ok\":%s}\n", (unsigned long)link.resent,
           (unsigned long)link.damaged, (unsigned long)fallbacks, ok ? "true" : "false");
}

static bool run(const struct skyway_worker *options, const struct skyway_job *job) {
    uint32_t stream_bytes = options->memory_bytes / 2 / STREAMS & ~63u;
    uint8_t *at = options->memory + options->memory_bytes / 2;
    const struct shuffle_program *program = shuffle_program(job->program);
    const struct shuffle_serializer *serializer = shuffle_serializer(job->serializer);

    if (!program || !serializer) {
        printf("# there is no program %.16s, or no serializer %.16s\n", job->program, job->serializer);
        return false;
    }
    shuffle_open(&shuffle, program, serializer, options->worker, WORKERS, job->scale);
    shuffle.clock = options->clock;
    shuffle.exchange = exchange;
    for (uint32_t peer = 0; peer < WORKERS; peer++) {
        shuffle.out[peer] = (struct shuffle_bytes){.data = at + 2 * peer * stream_bytes, .capacity = stream_bytes};
        shuffle.in[peer] = (struct shuffle_bytes){.data = at + (2 * peer + 1) * stream_bytes, .capacity = stream_bytes};
    }
    bool good = begin_heap(options) && shuffle_run(&shuffle);

    if (!good)
        printf("# %s by %s, phase %lu: %s\n", shuffle.program->name, shuffle.serializer->name,
               (unsigned long)shuffle.phase, shuffle.failure ? shuffle.failure : no_room);
    print(shuffle.serializer->fallbacks ? shuffle.serializer->fallbacks() : 0, good);
    shuffle_close(&shuffle);
    return good;
}

bool skyway_worker_run(const struct skyway_worker *options) {
    skyway_link_open(&link, options->line);
    link.serve = serve;
    exchange_open(&lane, &link);
    hw_skyway_sender = options->worker + 1;
    hw_classes_init();
    const char *problem = begin_heap(options) ? meet(options) : no_room;
    bool good = !problem;

    if (!good) printf("# %s\n", problem);
    for (uint32_t i = 0; i < options->count && good; i++) good = run(options, &options->jobs[i]);
    return good;
}

void skyway_worker_linger(void) { exchange_linger(&lane); }
