/* Object graphs that the host describes (host/heapwire/bench/objects): preloaded, built here by ordinary allocation, and told
 * by digests (docs/firmware_build.md). For the suites of serializers. */
#ifndef HW_PROGRAMS_BENCH_OBJECTS_H
#define HW_PROGRAMS_BENCH_OBJECTS_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/object.h"

struct objects_case {
    uint32_t name, graph;                /* offsets of a C string, of the graph's words */
    uint32_t objects;                    /* that the root leads to */
    uint32_t heap_bytes;                 /* of all of them */
    uint32_t stream_bytes;               /* of its Cereal stream, and that one's digest */
    uint32_t stream_digest;
    uint32_t digest;                     /* of the graph */
    uint32_t engines;                    /* bit e: engine e of the suite */
    uint32_t warm;                       /* runs behind the first */
    uint32_t skyway_bytes, skyway_digest; /* of its Skyway buffer; the digest, of what is behind the header */
    uint32_t reserved;
};

/* Flags of a workload: the copy unit is measured, too; the suite is `skyway`, not `cereal`. */
#define OBJECTS_COPY 1u
#define OBJECTS_SKYWAY 2u

struct objects_workload {
    uint32_t magic, version, bytes, count;
    uint32_t class_count, class_set; /* of the tables that the host knows: how many, their fingerprint as Cereal has it */
    uint32_t crc, flags;
    struct objects_case cases[];
};

/* The workload at the start of the load region; NULL, and a remark printed, if there is none, or it is damaged or of other
 * classes. Registers every class that has metadata with the Cereal driver, in the order of their ids. */
const struct objects_workload *objects_open(void);

static inline const void *objects_at(const struct objects_workload *workload, uint32_t offset)
{
    return (const char *)workload + offset;
}

/* Builds a graph: its root, which is no handle; 0 if the heap has no room. Nothing may be collected meanwhile. `scratch` has a
 * word an object. */
hw_ref objects_build(const uint32_t *graph, uint32_t *scratch);

/* The digest of what `root` leads to, which is the same for isomorphic graphs: a traversal in the order of references, objects
 * told apart by a number in their metadata. 0 if there are more than `objects`, or one is no object of a Java class.
 * Nothing may be collected meanwhile. `scratch` has a word an object. */
uint32_t objects_digest(hw_ref root, uint32_t objects, uint32_t *scratch);

/* The digest of bytes, as of a field of a message. */
uint32_t objects_digest_bytes(const void *bytes, uint32_t length);

#endif
