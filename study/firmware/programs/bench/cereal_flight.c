/* Independent graphs, one for each unit, each with a context of its own, all in flight at once. */
#include <string.h>

#include "programs/bench/serializers.h"
#include "units/capability.h"
#include "cereal/cereal.h"

#define LANES 8u
#define STALE 0xa5

/* A graph, its stream and its copy. */
struct lane {
    struct hw_cereal context;
    struct hw_cereal_output output;
    struct hw_cereal_input input;
    hw_handle graph, copy;
    uint8_t *stream;
};

static struct lane lanes[LANES];

static bool write_all(uint32_t count, uint32_t capacity) {
    bool good = true;

    for (struct lane *lane = lanes; lane < lanes + count; lane++) {
        hw_cereal_output_open(&lane->output, lane->stream, capacity);
        good = hw_cereal_write_begin(&lane->context, &lane->output, lane->graph) && good;
    }
    for (struct lane *lane = lanes; good && lane < lanes + count; lane++)
        good = hw_cereal_write_end(&lane->context, &lane->output);
    return good;
}

static bool read_all(uint32_t count, uint32_t length) {
    bool good = true;

    for (struct lane *lane = lanes; lane < lanes + count; lane++) {
        hw_cereal_input_open(&lane->input, lane->stream, length);
        good = hw_cereal_read_begin(&lane->context, &lane->input) && good;
    }
    for (struct lane *lane = lanes; good && lane < lanes + count; lane++)
        good = hw_cereal_read_end(&lane->context, &lane->input, &lane->copy);
    return good;
}

/* Returns whether all streams are the case's: checks the digest of the first, and that the others equal it. */
static bool streams_are(const struct objects_case *item, uint32_t count) {
    for (struct lane *lane = lanes; lane < lanes + count; lane++)
        if ((uint32_t)(lane->output.at - lane->stream) != item->stream_bytes ||
            (lane != lanes && !copies_same(lanes->stream, lane->stream, item->stream_bytes)))
            return false;
    return objects_digest_bytes(lanes->stream, item->stream_bytes) == item->stream_digest;
}

/* Returns whether all copies are the case's graph. A unit writes objects in sequence, the root first, so the copies
 * differ only in their addresses. They are compared before the digest of the first, which changes its metadata. */
static bool copies_are(const struct objects_case *item, uint32_t count) {
    const void *first = hw_handle_object(lanes->copy);

    for (struct lane *lane = lanes + 1; lane < lanes + count; lane++)
        if (!copies_alike(first, hw_handle_object(lane->copy), item->heap_bytes)) return false;
    return serializers_is(item, lanes->copy);
}

/* Opens the lanes in a new heap, each with a graph of its own. */
static bool prepare(const struct objects_workload *workload, const struct objects_case *item, uint32_t count,
                    uint32_t capacity) {
    uint32_t work_bytes;
    uint8_t *work = serializers_work(&work_bytes);

    work_bytes = work_bytes / LANES & ~63u;
    if (count == 0 || !serializers_heap(item, count, item->warm + 1) ||
        (SERIALIZERS_STREAM_LIMIT - SERIALIZERS_STREAM_BASE) / capacity < count)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        struct lane *lane = &lanes[i];

        hw_cereal_open(&lane->context, work + i * work_bytes, work_bytes);
        lane->stream = hw_pointer(SERIALIZERS_STREAM_BASE + i * capacity);
        memset(lane->stream, STALE, item->stream_bytes);
        if (!(lane->graph = serializers_graph(workload, item))) return false;
    }
    return true;
}

/* Measures cycles and counts per graph, with all graphs in flight. The row has the fewest cycles of the warm runs. */
static struct row run(const struct objects_case *item, uint32_t count, uint32_t capacity, bool reads) {
    uint32_t unit = reads ? HW_UNIT_CEREAL_DESERIALIZER : HW_UNIT_CEREAL_SERIALIZER;
    struct row row = {.cycles = UINT32_MAX, .ok = true};

    evict_caches();
    for (uint32_t i = 0; i <= item->warm && row.ok; i++) {
        struct counts counts = counts_now(unit);
        uint32_t instructions = instructions_now(), cycles = cycles_now();

        row.ok = reads ? read_all(count, item->stream_bytes) : write_all(count, capacity);
        cycles = (cycles_now() - cycles + count / 2) / count;
        instructions = (instructions_now() - instructions) / count;
        counts = counts_since(unit, &counts);
        if (i == 0) row.cold_cycles = cycles;
        if ((i == 0 && item->warm) || cycles >= row.cycles) continue;
        row.cycles = cycles;
        row.instructions = instructions;
        row.counts = counts_each(counts, count);
    }
    for (struct lane *lane = lanes; lane < lanes + count; lane++) {
        row.fallbacks += lane->context.fallbacks;
        lane->context.fallbacks = 0;
        if (lane->context.status) row.status = (uint32_t)lane->context.status;
    }
    row.ok = row.ok && row.fallbacks == 0;
    return row;
}

void cereal_flight(const struct objects_workload *workload, const struct objects_case *item, uint32_t units) {
    static const char *const names[LANES + 1] = {"hw-x0", "hw-x1", "hw-x2", "hw-x3", "hw-x4",
                                                 "hw-x5", "hw-x6", "hw-x7", "hw-x8"};
    uint32_t count = units < LANES ? units : LANES, capacity = (item->stream_bytes + 63) & ~63u;
    struct row written = {.ok = false}, read = written;
    bool ready = prepare(workload, item, count, capacity);
    hw_scope scope = hw_scope_open();

    if (ready) written = run(item, count, capacity, false);
    written.ok = written.ok && streams_are(item, count);
    if (written.ok) read = run(item, count, capacity, true);
    read.ok = read.ok && copies_are(item, count);
    serializers_rows(workload, item, names[count], item->stream_bytes, written, read);
    hw_scope_close(scope);
}
