/* One of two machines on a line that run shuffling programs (programs/shuffle): worker 0 drives the numbering of classes, worker 1 joins. */
#ifndef HW_PROGRAMS_SKYWAY_WORKER_H
#define HW_PROGRAMS_SKYWAY_WORKER_H

#include "skyway/registry/link.h"

/* What a worker is given, wherever it runs. */
#define SKYWAY_WORKER_HEAP (2u << 20)
#define SKYWAY_WORKER_MEMORY (8u << 20)
#define SKYWAY_WORKER_LINGER 300000u /* cycles: a packet's time on a slow line */

/* What is to run. Names end with a byte 0. heapwire.demo.skyway packs it. */
struct skyway_job {
    char program[16], serializer[16]; /* of programs/shuffle */
    uint32_t scale;
};

_Static_assert(sizeof(struct skyway_job) == 36, "job");

struct skyway_worker {
    uint32_t worker; /* 0 or 1 */
    struct hw_skyway_line *line;
    uint64_t (*clock)(void);
    uint32_t heap, heap_bytes;      /* where the heap is */
    uint8_t *memory;                /* 64-byte aligned: serializers' work areas, and streams */
    uint32_t memory_bytes;
    const struct skyway_job *jobs;
    uint32_t count;
};

/* Runs them all, with the other machine; prints a line of JSON for each, and `# ...` where one failed. False: one did. */
bool skyway_worker_run(const struct skyway_worker *options);

/* Afterwards: answers the other machine, whose last response may be lost, until nothing has come for the line's patience, which need not be
 * long now. */
void skyway_worker_linger(void);

#endif
