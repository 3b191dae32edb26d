/* Suites `cereal` and `skyway`: the cases of the workload, each by every serializer that it asks for. */
#include "programs/bench/serializers.h"

#include <string.h>

#include "skyway/format.h"
#include "runtime/heap/adopt.h"
#include "runtime/java/class.h"
#include "units/capability.h"
#include "copy/copy.h"

#define ONCE_ABOVE 2000000u /* in cycles; for longer runs it makes no difference that the caches were empty */
#define STALE 0xa5
#define KB 1024u
#define REGION_BYTES (16 * KB)
#define COPY_BYTES (512 * KB) /* more than the shared cache holds */
#define SKYWAY_HEADER_BYTES ((uint32_t)sizeof(struct skyway_header))

static const char *suite;

static void print(struct row row) {
    row.suite = suite;
    row.model = "managed";
    row_print(&row);
}

void serializers_rows(const struct objects_workload *workload, const struct objects_case *item, const char *engine,
                      uint32_t wire_bytes, struct row written, struct row read) {
    written.operation = "serialize";
    read.operation = "deserialize";
    written.name = read.name = objects_at(workload, item->name);
    written.engine = read.engine = engine;
    written.wire_bytes = read.wire_bytes = wire_bytes;
    written.object_bytes = read.object_bytes = item->heap_bytes;
    print(written);
    print(read);
}

static uint32_t round_up(uint32_t bytes, uint32_t to) { return (bytes + to - 1) / to * to; }

static uint32_t *scratch(void) { return hw_pointer(SERIALIZERS_SCRATCH_BASE); }

/* Nothing is collected while the heap is used. Eden has room for every graph and every copy, each of which is less than
 * a quarter of it, and for what allocation buffers waste at their ends. With several graphs, units make all copies, and
 * waste nothing. The old generation and the survivor spaces stay almost empty. */
bool serializers_heap(const struct objects_case *item, uint32_t graphs, uint32_t copies) {
    uint32_t waste = item->heap_bytes / (graphs > 1 ? 8 : 2);
    uint32_t one = round_up(item->heap_bytes + waste, KB) + 16 * KB, eden = one * graphs * (1 + copies);
    struct hw_heap_options options = {
        .base = HW_FIXED_BASE,
        .eden_bytes = eden > 5 * one ? eden : 5 * one,
        .survivor_bytes = 16 * KB,
        .large_bytes = 64 * KB + graphs * copies * round_up(item->heap_bytes, REGION_BYTES),
        .region_bytes = REGION_BYTES,
    };

    options.bytes =
        options.eden_bytes + options.large_bytes + (options.eden_bytes + options.large_bytes) / 8 + 256 * KB;
    if (options.bytes > HW_FIXED_BYTES || item->objects * sizeof(uint32_t) > SERIALIZERS_SCRATCH_BYTES ||
        !hw_heap_init(&options))
        return false;
    return hw_enums_init();
}

hw_handle serializers_graph(const struct objects_workload *workload, const struct objects_case *item) {
    hw_ref root = objects_build(objects_at(workload, item->graph), scratch());

    return root ? hw_handle_new(root) : NULL;
}

bool serializers_is(const struct objects_case *item, hw_handle root) {
    return hw_heap_statistics.young_collections == 0 && hw_heap_statistics.full_collections == 0 &&
           objects_digest(root->reference, item->objects, scratch()) == item->digest;
}

/* A run of one serializer on one case. */
struct trial {
    const struct objects_case *item;
    const struct serializer *serializer;
    hw_handle graph, copy;
    uint8_t *output;
    uint32_t capacity, bytes;
    struct serializer_outcome outcome;
    struct row row;
};

static uint32_t fallbacks_of(const struct serializer *serializer) {
    return serializer->fallbacks ? serializer->fallbacks() : 0;
}

static void once(struct trial *trial, bool reads) {
    if (reads)
        trial->outcome = trial->serializer->read(trial->output, trial->bytes, &trial->copy);
    else
        trial->outcome = trial->serializer->write(trial->graph, trial->output, trial->capacity);
}

/* Runs once, in the first layout with cold caches, then with warm ones. The counts are those of the warm run with the
 * fewest cycles. */
static void run(struct trial *trial, bool reads) {
    uint32_t unit = reads ? HW_UNIT_CEREAL_DESERIALIZER : HW_UNIT_CEREAL_SERIALIZER;
    struct row *row = &trial->row;

    *row = (struct row){.cycles = UINT32_MAX, .ok = true};
    const bool cold = row_layout() == 0; /* one layout suffices; the others serve to find the fewest warm cycles */

    if (cold) evict_caches();
    for (uint32_t i = 0; i <= trial->item->warm && row->ok; i++) {
        struct counts counts = counts_now(unit);
        uint32_t instructions = instructions_now(), began = cycles_now();

        once(trial, reads);
        uint32_t cycles = cycles_now() - began;

        instructions = instructions_now() - instructions;
        counts = counts_since(unit, &counts);
        row->ok = trial->outcome.bytes != 0 && (!reads || trial->outcome.bytes == trial->bytes);
        if (i == 0 && cold) row->cold_cycles = cycles;
        bool last = i == 0 && cycles > ONCE_ABOVE;

        if ((i == 0 && !last && trial->item->warm) || cycles >= row->cycles) continue;
        row->cycles = cycles;
        row->began = began;
        row->instructions = instructions;
        row->counts = counts;
        if (last) break;
    }
    row->status = trial->outcome.status;
    row->fallbacks = fallbacks_of(trial->serializer);
    row->ok = row->ok && row->fallbacks == 0;
}

/* Returns whether the stream is the one that the host has written. In Cereal a graph has one stream; in Skyway, too,
 * but for the header, which counts phases. */
static bool stream_is(const struct trial *trial, uint32_t digest) {
    const struct objects_case *item = trial->item;

    if (trial->serializer->cereal) return trial->bytes == item->stream_bytes && digest == item->stream_digest;
    if (!trial->serializer->skyway) return true;
    return trial->bytes == item->skyway_bytes &&
           objects_digest_bytes(trial->output + SKYWAY_HEADER_BYTES, trial->bytes - SKYWAY_HEADER_BYTES) ==
               item->skyway_digest;
}

static void run_case(const struct objects_workload *workload, const struct objects_case *item,
                     const struct serializer *serializer) {
    struct trial trial = {.item = item, .serializer = serializer};
    bool ready = serializers_heap(item, 1, item->warm + 1) && (!serializer->begin || serializer->begin()) &&
                 (!serializer->begin_graphs || serializer->begin_graphs());
    hw_scope scope = hw_scope_open();

    trial.output = hw_pointer(SERIALIZERS_STREAM_BASE);
    trial.capacity = SERIALIZERS_STREAM_LIMIT - SERIALIZERS_STREAM_BASE;
    ready = ready && item->stream_bytes <= trial.capacity && item->skyway_bytes <= trial.capacity &&
            (trial.graph = serializers_graph(workload, item));
    if (ready) {
        memset(trial.output, STALE, item->stream_bytes);
        fallbacks_of(serializer);
        run(&trial, false);
    }
    struct row written = trial.row;

    trial.bytes = trial.outcome.bytes;
    written.ok = ready && written.ok;
    written.digest = written.ok ? objects_digest_bytes(trial.output, trial.bytes) : 0;
    written.ok = written.ok && stream_is(&trial, written.digest);
    if (written.ok) run(&trial, true);
    struct row read = trial.row;

    read.ok = written.ok && read.ok && serializers_is(item, trial.copy);
    written.ok = written.ok && (read.ok || serializers_is(item, trial.graph));
    serializers_rows(workload, item, serializer_name(serializer), trial.bytes, written, read);
    hw_scope_close(scope);
}

/* Measures the copy unit: the most that the port moves, with which everything is compared. */
static void run_copy(void) {
    uint8_t *from = hw_pointer(SERIALIZERS_STREAM_BASE), *to = from + COPY_BYTES + 16 * KB;
    struct timing timing = {0};

    memset(from, STALE, COPY_BYTES);
    memset(to, 0, COPY_BYTES);
    TIME(&timing, 2, hw_copy(to, from, COPY_BYTES));
    print((struct row){.name = "copy",
                       .operation = "copy",
                       .engine = "hw",
                       .cycles = timing.cycles,
                       .cold_cycles = timing.cold_cycles,
                       .instructions = timing.instructions,
                       .counts = {.read_bytes = COPY_BYTES, .write_bytes = COPY_BYTES},
                       .object_bytes = COPY_BYTES,
                       .fallbacks = hw_copy_state.fallbacks,
                       .ok = hw_copy_state.fallbacks == 0 && memcmp(from, to, COPY_BYTES) == 0});
}

int main(void) {
    const struct objects_workload *workload;

    hw_capability_discover();
    hw_classes_init();
    if (!serializers_open(hw_pointer(HW_FLEXIBLE_BASE), SERIALIZERS_BYTES)) return 2;
    workload = objects_open();
    if (!workload) return 2;
    suite = workload->flags & OBJECTS_SKYWAY ? "skyway" : "cereal";
    for (const struct objects_case *item = workload->cases; item < workload->cases + workload->count; item++) {
        for (uint32_t i = 0; i < SERIALIZERS; i++)
            if (item->engines >> i & 1) run_case(workload, item, &serializers[i]);
        if (item->engines >> SERIALIZER_FLIGHT & 1)
            cereal_flight(workload, item, hw_unit_count(HW_UNIT_CEREAL_SERIALIZER));
    }
    if (workload->flags & OBJECTS_COPY) run_copy();
    return bench_exit_code();
}
