/* The suites of serializers, `cereal` and `skyway`: graphs by every engine, in both directions
 * (study/docs/suites.md). */
#ifndef HW_PROGRAMS_BENCH_SERIALIZERS_H
#define HW_PROGRAMS_BENCH_SERIALIZERS_H

#include "programs/bench/objects.h"
#include "programs/bench/row.h"
#include "runtime/thread.h"
#include "runtime/regions.h"

/* Division of the flexible arena: workspaces of the engines, a word per object for building and digests, streams.
 * evict_caches reads its end. */
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
    SERIALIZER_CEREAL_VANILLA, /* the same code, under the name for units without pipelining */
    SERIALIZER_SKYWAY,
    SERIALIZER_SKYWAY_HW,
    SERIALIZERS,
    SERIALIZER_FLIGHT = 15, /* one graph for each unit, all in flight at once */
};

/* The outcome of an engine's run. */
struct serializer_outcome {
    uint32_t bytes;  /* of the stream; 0: the engine failed */
    uint32_t status; /* the engine's own; 0: no error */
};

struct serializer_engine {
    const char *name;
    struct serializer_outcome (*write)(hw_handle root, void *output, uint32_t capacity);
    struct serializer_outcome (*read)(const void *input, uint32_t length, hw_handle *root);
};

/* Places the engines' workspaces. To be called once, before anything else. */
void serializers_init(void);

/* To be called for each heap once it is made, with the engine that will be measured in it. Returns false if the engine
 * cannot begin, or if the machine has no unit for it. */
bool serializers_begin(enum serializer engine);

/* Returns the number of commands that software has executed instead of a unit since the last call. Resets it, and
 * forgets all errors. */
uint32_t serializers_fallbacks(void);

extern const struct serializer_engine serializer_engines[SERIALIZERS];

/* Prints a row of the workload's suite. */
void serializers_row(struct row row);

/* Makes an empty heap with room for `graphs` graphs of this case and `copies` of each, both in eden and in the large
 * space. Returns false if there is no room. */
bool serializers_heap(const struct objects_case *item, uint32_t graphs, uint32_t copies);

/* Builds another graph of the case. Returns NULL if there is no room. */
hw_handle serializers_graph(const struct objects_workload *workload, const struct objects_case *item);

/* Returns whether `root` is the case's graph and nothing was collected. */
bool serializers_is(const struct objects_case *item, hw_handle root);

/* Measures one graph for each of `units` units of either kind, each with its own context, all in flight: a row in each
 * direction. */
void cereal_flight(const struct objects_workload *workload, const struct objects_case *item, uint32_t units);

#endif
