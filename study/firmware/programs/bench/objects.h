/* Object graphs that the host describes (study/bench/objects). They are preloaded, built here by ordinary
 * allocation, and compared by digests (study/docs/suites.md). Copies of one graph that several units have made, whose
 * objects lie in a row, are compared directly (copies.c). For the suites of serializers. */
#ifndef HW_PROGRAMS_BENCH_OBJECTS_H
#define HW_PROGRAMS_BENCH_OBJECTS_H

#include <stdbool.h>

#include "records/objects.h"
#include "runtime/object.h"

/* Returns the workload at the start of the load region. Returns NULL, and prints a remark, if there is none, if it is
 * damaged, or if its classes differ from those that are registered with Cereal. */
const struct objects_workload *objects_open(void);

static inline const void *objects_at(const struct objects_workload *workload, uint32_t offset) {
    return (const char *)workload + offset;
}

/* Builds a graph. Returns its root as a raw reference; 0 if the heap has no room. No collection may run meanwhile.
 * `scratch` has a word per object. */
hw_ref objects_build(const uint32_t *graph, uint32_t *scratch);

/* Returns the digest of the graph of `root`, which is the same for isomorphic graphs: a traversal in the order of
 * references that numbers objects in their metadata. Returns 0 if there are more than `objects` objects, or if one is
 * not of a Java class. No collection may run meanwhile. `scratch` has a word per object. */
uint32_t objects_digest(hw_ref root, uint32_t objects, uint32_t *scratch);

/* Returns the digest of bytes, as for a field of a message. */
uint32_t objects_digest_bytes(const void *bytes, uint32_t length);

/* Returns whether the bytes at both places, which are aligned to words, are the same. */
bool copies_same(const void *one, const void *other, uint32_t bytes);

/* Returns whether the objects in the `bytes` bytes from `copy` on are those from `first` on, at another place. A
 * reference leads to the same object of its own copy, or, in both, to one object that is in neither. One that leads
 * from a copy into the other is a fault. */
bool copies_alike(const void *first, const void *copy, uint32_t bytes);

#endif
