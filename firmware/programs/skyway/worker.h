/* One of two machines on a line that run shuffling programs (programs/shuffle). Worker 0 drives the class numbering,
 * worker 1 joins. */
#ifndef HW_PROGRAMS_SKYWAY_WORKER_H
#define HW_PROGRAMS_SKYWAY_WORKER_H

#include "skyway/registry/link.h"

/* Bytes that a worker is given, wherever it runs. */
#define SKYWAY_WORKER_HEAP (2u << 20)
#define SKYWAY_WORKER_MEMORY (8u << 20)
#define SKYWAY_WORKER_LINGER 300000u /* in cycles: the time of a packet on a slow line */

/* A job. Names end with a byte 0. heapwire.demo.skyway packs it. */
struct skyway_job {
    char program[16], serializer[16]; /* names of programs/shuffle */
    uint32_t scale;
};

_Static_assert(sizeof(struct skyway_job) == 36, "job");

struct skyway_worker {
    uint32_t worker; /* 0 or 1 */
    struct hw_skyway_line *line;
    uint64_t (*clock)(void);
    uint32_t heap, heap_bytes; /* address and size of the heap */
    uint8_t *memory;           /* 64-byte aligned: for the serializers' work areas and the streams */
    uint32_t memory_bytes;
    const struct skyway_job *jobs;
    uint32_t count;
};

/* Runs all jobs together with the other machine. Prints a line of JSON for each, and `# ...` for a failure. Returns
 * false if one failed. */
bool skyway_worker_run(const struct skyway_worker *options);

/* To be called afterwards: answers the other machine, whose last response may be lost, until nothing has arrived for
 * the line's patience, which can be short now. */
void skyway_worker_linger(void);

#endif
