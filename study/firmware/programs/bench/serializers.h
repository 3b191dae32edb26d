/* The suites of serializers, `cereal` and `skyway`: graphs by every serializer, in both directions
 * (study/docs/suites.md). */
#ifndef HW_PROGRAMS_BENCH_SERIALIZERS_H
#define HW_PROGRAMS_BENCH_SERIALIZERS_H

#include "programs/bench/objects.h"
#include "programs/bench/row.h"
#include "programs/serializers/serializers.h"
#include "runtime/regions.h"

/* Division of the flexible arena: the serializers' memory, a word per object for building and digests, streams.
 * evict_caches reads its end. */
#define SERIALIZERS_BYTES (HW_FLEXIBLE_BYTES / 2)
#define SERIALIZERS_SCRATCH_BASE (HW_FLEXIBLE_BASE + SERIALIZERS_BYTES)
#define SERIALIZERS_SCRATCH_BYTES (HW_FLEXIBLE_BYTES / 16)
#define SERIALIZERS_STREAM_BASE (SERIALIZERS_SCRATCH_BASE + SERIALIZERS_SCRATCH_BYTES)
#define SERIALIZERS_STREAM_LIMIT (HW_FLEXIBLE_BASE + HW_FLEXIBLE_BYTES / 16 * 15)

/* Prints a case's rows by an engine, of what is measured in each direction. */
void serializers_rows(const struct objects_workload *workload, const struct objects_case *item, const char *engine,
                      uint32_t wire_bytes, struct row written, struct row read);

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
