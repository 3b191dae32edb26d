#include "programs/skyway/worker.h"

#include <stdio.h>
#include <string.h>

#include "programs/serializers/serializers.h"
#include "programs/skyway/lanes.h"
#include "runtime/java/class.h"
#include "skyway/skyway.h"

/* The serializers get half of the memory, the streams to and from each worker the rest. */

static const char no_room[] = "no room for the heap and the serializers";

static struct shuffle shuffle;
static bool tell;

static bool exchange(struct shuffle *each) {
    if (tell)
        printf("phase %lu of %s by %s\n", (unsigned long)each->phase, each->program->name,
               serializer_name(each->serializer));
    return lanes_exchange(each);
}

static bool begin_heap(const struct skyway_worker *options) {
    const struct hw_heap_options heap = {
        .base = options->heap,
        .bytes = options->given->heap_bytes,
        .eden_bytes = options->given->heap_bytes / 16,
        .large_bytes = options->given->heap_bytes / 4,
    };

    hw_skyway_shuffle_end();
    return hw_heap_init(&heap) && hw_enums_init() &&
           serializers_open(options->memory, options->given->memory_bytes / 2);
}

static void print(uint32_t fallbacks, bool ok) {
    uint32_t resent, damaged;

    lanes_count(&resent, &damaged);
    printf("{\"program\":\"%s\",\"serializer\":\"%s\",\"scale\":%lu,\"worker\":%lu,", shuffle.program->name,
           serializer_name(shuffle.serializer), (unsigned long)shuffle.scale, (unsigned long)shuffle.worker);
    for (uint32_t time = 0; time < SHUFFLE_TIMES; time++)
        printf("\"%s\":%llu,", shuffle_time_names[time], (unsigned long long)shuffle.times[time]);
    printf("\"local_bytes\":%llu,\"remote_bytes\":%llu,", (unsigned long long)shuffle.local_bytes,
           (unsigned long long)shuffle.remote_bytes);
    shuffle_print(&shuffle);
    printf("\"resent\":%lu,\"damaged\":%lu,\"fallbacks\":%lu,\"ok\":%s}\n", (unsigned long)resent,
           (unsigned long)damaged, (unsigned long)fallbacks, ok ? "true" : "false");
}

static const struct shuffle_program *program_of(const char *name) {
    return strcmp(name, jsbs.name) == 0 ? &jsbs : shuffle_program(name);
}

static bool run(const struct skyway_worker *options, const struct skyway_job *job) {
    uint32_t stream_bytes = options->given->memory_bytes / 2 / (2 * options->given->workers) & ~63u;
    const struct shuffle_program *program = program_of(job->program);
    const struct serializer *serializer = serializer_of(job->serializer);

    if (!program || !serializer) {
        printf("# there is no program %.16s, or no serializer %.16s\n", job->program, job->serializer);
        return false;
    }
    shuffle_open(&shuffle, program, serializer, options->given->worker, options->given->workers, job->scale);
    shuffle.clock = options->clock;
    shuffle.exchange = exchange;
    shuffle_streams(&shuffle, options->memory + options->given->memory_bytes / 2, stream_bytes);
    bool good = begin_heap(options) && shuffle_run(&shuffle);

    if (!good)
        printf("# %s by %s, phase %lu: %s\n", shuffle.program->name, serializer_name(shuffle.serializer),
               (unsigned long)shuffle.phase, shuffle.failure ? shuffle.failure : no_room);
    print(shuffle.serializer->fallbacks ? shuffle.serializer->fallbacks() : 0, good);
    shuffle_close(&shuffle);
    return good;
}

bool skyway_worker_run(const struct skyway_worker *options) {
    lanes_open(options->line, options->given->worker, options->given->workers);
    hw_skyway_sender = options->given->worker + 1;
    tell = options->given->tell;
    hw_classes_init();
    const char *problem = begin_heap(options) ? lanes_meet() : no_room;
    bool good = !problem;

    if (!good) printf("# %s\n", problem);
    for (uint32_t i = 0; i < options->given->count && good; i++) good = run(options, &options->jobs[i]);
    return good;
}

void skyway_worker_linger(void) { lanes_linger(SKYWAY_WORKER_LINGER); }
