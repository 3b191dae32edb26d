/* Suite `cereal`: graphs by every engine, both ways (docs/firmware_build.md). */
#ifndef HW_BENCH_CEREAL_H
#define HW_BENCH_CEREAL_H

#include "bench/objects.h"
#include "bench/row.h"
#include "runtime/handle.h"
#include "runtime/regions.h"

/* The flexible arena: workspaces of the engines, words an object for building and digests, streams. The end is what
 * evict_caches reads. */
#define CEREAL_PEER_BYTES (HW_FLEXIBLE_BYTES / 8)
#define CEREAL_JAVA_BASE HW_FLEXIBLE_BASE
#define CEREAL_KRYO_BASE (CEREAL_JAVA_BASE + CEREAL_PEER_BYTES)
#define CEREAL_WORK_BASE (CEREAL_KRYO_BASE + CEREAL_PEER_BYTES)
#define CEREAL_WORK_BYTES (HW_FLEXIBLE_BYTES / 4)
#define CEREAL_SCRATCH_BASE (CEREAL_WORK_BASE + CEREAL_WORK_BYTES)
#define CEREAL_SCRATCH_BYTES (HW_FLEXIBLE_BYTES / 16)
#define CEREAL_STREAM_BASE (CEREAL_SCRATCH_BASE + CEREAL_SCRATCH_BYTES)
#define CEREAL_STREAM_LIMIT (HW_FLEXIBLE_BASE + HW_FLEXIBLE_BYTES / 16 * 15)

enum cereal_engine {
    CEREAL_JAVA,
    CEREAL_KRYO,
    CEREAL_KRYO_MANUAL,
    CEREAL_SOFTWARE,
    CEREAL_HW,
    CEREAL_HW_VANILLA, /* the same code; the name of units without pipelining */
    CEREAL_ENGINES,
    CEREAL_FLIGHT = CEREAL_ENGINES, /* a graph for each unit, all at a time */
};

/* What an engine has done. */
struct cereal_outcome {
    uint32_t bytes;  /* of the stream; 0: it failed */
    uint32_t status; /* the engine's own, 0 if it is well */
};

struct cereal_codec {
    const char *name;
    struct cereal_outcome (*write)(hw_handle root, void *output, uint32_t capacity);
    struct cereal_outcome (*read)(const void *input, uint32_t length, hw_handle *root);
};

/* Once, before anything else: where the engines' workspaces lie. */
void cereal_codecs_init(void);

/* Commands to units that software has done since the last call, which forgets them and all errors. */
uint32_t cereal_fallbacks(void);

extern const struct cereal_codec cereal_codecs[CEREAL_ENGINES];

/* A row of this suite. */
void cereal_row(struct row row);

/* An empty heap with room for `graphs` graphs of this case and `copies` of each; false if there is none. */
bool cereal_heap(const struct objects_case *item, uint32_t graphs, uint32_t copies);

/* Another graph of the case; NULL if it has no room. */
hw_handle cereal_graph(const struct objects_workload *workload, const struct objects_case *item);

/* Whether `root` is the case's graph, and nothing was collected. */
bool cereal_is(const struct objects_case *item, hw_handle root);

/* A graph for each of `units` units of either kind, by a context each, all of them in flight: a row each way. */
void cereal_flight(const struct objects_workload *workload, const struct objects_case *item, uint32_t units);

#endif
