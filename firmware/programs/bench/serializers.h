/* The suites of serializers, `cereal` and `skyway`: graphs by every engine, both ways (docs/firmware_build.md). */
#ifndef HW_PROGRAMS_BENCH_SERIALIZERS_H
#define HW_PROGRAMS_BENCH_SERIALIZERS_H

#include "programs/bench/objects.h"
#include "programs/bench/row.h"
#include "runtime/handle.h"
#include "runtime/regions.h"

/* The flexible arena: workspaces of the engines, words an object for building and digests, streams. The end is what
 * evict_caches reads. */
#define SERIALIZERS_PEER_BYTES (HW_FLEXIBLE_BYTES / 8)
#define SERIALIZERS_JAVA_BASE HW_FLEXIBLE_BASE
#define SERIALIZERS_KRYO_BASE (SERIALIZERS_JAVA_BASE + SERIALIZERS_PEER_BYTES)
#define SERIALIZERS_WORK_BASE (SERIALIZERS_KRYO_BASE + SERIALIZERS_PEER_BYTES)
#define SERIALIZERS_WORK_BYTES (HW_FLEXIBLE_BYTES / 4)
#define SERIALIZERS_SCRATCH_BASE (SERIALIZERS_WORK_BASE + SERIALIZERS_WORK_BYTES)
#define SERIALIZERS_SCRATCH_BYTES (HW_FLEXIBLE_BYTES / 16)
#define SERIALIZERS_STREAM_BASE (SERIALIZERS_SCRATCH_BASE + SERIALIZERS_SCRATCH_BYTES)
#define SERIALIZERS_STREAM_LIMIT (HW_FLEXIBLE_BASE + HW_FLEXIBLE_BYTES / 16 * 15)

enum serializer {
    SERIALIZER_JAVA,
    SERIALIZER_KRYO,
    SERIALIZER_KRYO_MANUAL,
    SERIALIZER_CEREAL,
    SERIALIZER_CEREAL_HW,
    SERIALIZER_CEREAL_VANILLA, /* the same code; the name of units without pipelining */
    SERIALIZER_SKYWAY,
    SERIALIZER_SKYWAY_HW,
    SERIALIZERS,
    SERIALIZER_FLIGHT = 15, /* a graph for each unit, all at a time */
};

/* What an engine has done. */
struct serializer_outcome {
    uint32_t bytes;  /* of the stream; 0: it failed */
    uint32_t status; /* the engine's own, 0 if it is well */
};

struct serializer_engine {
    const char *name;
    struct serializer_outcome (*write)(hw_handle root, void *output, uint32_t capacity);
    struct serializer_outcome (*read)(const void *input, uint32_t length, hw_handle *root);
};

/* Once, before anything else: where the engines' workspaces lie. */
void serializers_init(void);

/* With each heap, when it is made: this engine is the one that will be measured there. False: it cannot begin, or the machine has no unit for it. */
bool serializers_begin(enum serializer engine);

/* Commands to units that software has done since the last call, which forgets them and all errors. */
uint32_t serializers_fallbacks(void);

extern const struct serializer_engine serializer_engines[SERIALIZERS];

/* A row of the suite that the workload is of. */
void serializers_row(struct row row);

/* An empty heap with room for `graphs` graphs of this case and `copies` of each, in eden and in the large space alike; false if there is none. */
bool serializers_heap(const struct objects_case *item, uint32_t graphs, uint32_t copies);

/* Another graph of the case; NULL if it has no room. */
hw_handle serializers_graph(const struct objects_workload *workload, const struct objects_case *item);

/* Whether `root` is the case's graph, and nothing was collected. */
bool serializers_is(const struct objects_case *item, hw_handle root);

/* A graph for each of `units` units of either kind, by a context each, all of them in flight: a row each way. */
void cereal_flight(const struct objects_workload *workload, const struct objects_case *item, uint32_t units);

#endif
