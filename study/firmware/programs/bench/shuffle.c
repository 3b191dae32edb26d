/* Suite `skyway`, programs that shuffle: two workers of one program take turns on this machine, with every serializer
 * (study/docs/bench_skyway.md). */
#include <stdio.h>
#include <string.h>

#include "programs/bench/row.h"
#include "skyway/registry/registry.h"
#include "skyway/phase.h"
#include "platform/cycles.h"
#include "programs/serializers/serializers.h"
#include "programs/shuffle/shuffle.h"
#include "runtime/java/class.h"
#include "runtime/regions.h"
#include "units/capability.h"

#define WORKERS 2u
#define REGISTRY 1u
#define KB 1024u

/* Division of the flexible arena: the serializers' workspaces, the streams of each worker, the bytes in transit. */
#define WORK_BYTES (HW_FLEXIBLE_BYTES / 2)
#define STREAM_BYTES (HW_FLEXIBLE_BYTES / 32)

static struct shuffle workers[WORKERS];
static uint8_t *line;

static void *stream_memory(uint32_t place) { return hw_pointer(HW_FLEXIBLE_BASE + WORK_BYTES + place * STREAM_BYTES); }

/* Makes a new heap. Eden is small enough that collections run. */
static bool renew(void) {
    const struct hw_heap_options options = {
        .base = HW_FIXED_BASE, .bytes = 4096 * KB, .eden_bytes = 256 * KB, .large_bytes = 1024 * KB};

    hw_skyway_shuffle_end();
    if (!hw_heap_init(&options) || !hw_enums_init()) return false;
    hw_skyway_drive(REGISTRY, &hw_skyway_java_loader);
    return hw_skyway_load_java_classes() == 0 && serializers_open(hw_pointer(HW_FLEXIBLE_BASE), WORK_BYTES);
}

static void open_worker(uint32_t number, const struct shuffle_program *program, const struct serializer *serializer,
                        uint32_t scale) {
    struct shuffle *worker = &workers[number];

    shuffle_open(worker, program, serializer, number, WORKERS, scale);
    worker->clock = cycles_long;
    shuffle_streams(worker, stream_memory(2 * number * WORKERS), STREAM_BYTES);
}

/* Carries a stream through memory: the core copies it once out and once in. */
static void carry(struct shuffle *from, struct shuffle *to) {
    const struct shuffle_bytes *out = &from->out[to->worker];
    struct shuffle_bytes *in = &to->in[from->worker];
    uint64_t begun = cycles_long(), between;

    memcpy(line, out->data, out->bytes);
    between = cycles_long();
    memcpy(in->data, line, out->bytes);
    in->bytes = out->bytes;
    from->times[SHUFFLE_WRITE] += between - begun;
    to->times[SHUFFLE_READ] += cycles_long() - between;
}

static void run_phases(void) {
    bool running = true;

    while (running) {
        for (uint32_t i = 0; i < WORKERS; i++) shuffle_send(&workers[i]);
        for (uint32_t i = 0; i < WORKERS; i++)
            for (uint32_t peer = 0; peer < WORKERS; peer++)
                if (i != peer) carry(&workers[i], &workers[peer]);
        for (uint32_t i = 0; i < WORKERS; i++) running = shuffle_receive(&workers[i]) == SHUFFLE_RUNNING && running;
    }
}

static void print(const struct shuffle_program *program, const struct serializer *serializer, uint32_t scale, bool ok) {
    struct shuffle sum = {.phase = workers[0].phase};
    uint64_t all = 0;

    for (uint32_t i = 0; i < WORKERS; i++) {
        for (uint32_t time = 0; time < SHUFFLE_TIMES; time++) {
            sum.times[time] += workers[i].times[time];
            all += workers[i].times[time];
        }
        sum.local_bytes += workers[i].local_bytes;
        sum.remote_bytes += workers[i].remote_bytes;
        sum.digest += workers[i].digest;
        sum.results += workers[i].results;
        sum.objects += workers[i].objects;
    }
    uint32_t fallbacks = serializer->fallbacks ? serializer->fallbacks() : 0;

    printf(
        "{\"suite\":\"skyway\",\"case\":\"%s/"
        "%lu\",\"op\":\"shuffle\",\"engine\":\"%s\",\"model\":\"managed\",\"cycles\":%llu,",
        program->name, (unsigned long)scale, serializer_name(serializer), (unsigned long long)all);
    for (uint32_t time = 0; time < SHUFFLE_TIMES; time++)
        printf("\"%s_cycles\":%llu,", shuffle_time_names[time], (unsigned long long)sum.times[time]);
    printf("\"wire_bytes\":%llu,\"local_bytes\":%llu,", (unsigned long long)(sum.local_bytes + sum.remote_bytes),
           (unsigned long long)sum.local_bytes);
    shuffle_print(&sum);
    printf("\"fallbacks\":%lu,\"layout\":%lu,\"status\":0,\"ok\":%s}\n", (unsigned long)fallbacks,
           (unsigned long)(uintptr_t)layout, ok && fallbacks == 0 ? "true" : "false");
}

static uint32_t scale_of(const struct shuffle_program *program) {
    if (program == &shuffle_word_count) return SHUFFLE_BENCH_WORDS;
    return strncmp(program->name, "query-", 6) == 0 ? SHUFFLE_BENCH_ORDERS : SHUFFLE_BENCH_VERTICES;
}

static bool run(const struct shuffle_program *program, const struct serializer *serializer) {
    uint32_t scale = scale_of(program);
    bool ok = renew();

    if (!ok) return false;
    for (uint32_t i = 0; i < WORKERS; i++) open_worker(i, program, serializer, scale);
    run_phases();
    for (uint32_t i = 0; i < WORKERS; i++) {
        if (workers[i].state != SHUFFLE_DONE)
            printf("# %s by %s: worker %lu, phase %lu: %s\n", program->name, serializer_name(serializer),
                   (unsigned long)i, (unsigned long)workers[i].phase, workers[i].failure);
        ok = ok && workers[i].state == SHUFFLE_DONE;
        shuffle_close(&workers[i]);
    }
    print(program, serializer, scale, ok);
    return ok;
}

int main(void) {
    bool ok = true;

    hw_capability_discover();
    hw_classes_init();
    line = stream_memory(2 * WORKERS * WORKERS);
    for (uint32_t i = 0; i < shuffle_program_count; i++)
        for (uint32_t k = 0; k < SERIALIZERS; k++)
            if (k != SERIALIZER_HW_VANILLA) ok = run(shuffle_programs[i], &serializers[k]) && ok;
    return ok ? 0 : 1;
}
