/* One of several machines that run shuffling programs (programs/shuffle). Worker 0 drives the class numbering, the
 * others join. */
#ifndef HW_PROGRAMS_SKYWAY_WORKER_H
#define HW_PROGRAMS_SKYWAY_WORKER_H

#include "programs/shuffle/shuffle.h"
#include "skyway/registry/link.h"

#define SKYWAY_WORKER_LINGER 300000u /* the time of a packet on a slow line, whose ticks are cycles */

struct skyway_worker {
    const struct skyway_parameters *given; /* 2 to MEDIUM_MACHINES workers */
    const struct skyway_job *jobs;
    struct hw_skyway_line *line; /* to the other machine, or to the switch if there are more than two */
    uint64_t (*clock)(void);
    uint32_t heap;   /* the address of the heap */
    uint8_t *memory; /* 64-byte aligned: for the serializers' work areas and the streams */
};

/* Runs all jobs together with the other machines. Prints a line of JSON for each, and `# ...` for a failure. Returns
 * false if one failed. */
bool skyway_worker_run(const struct skyway_worker *options);

/* To be called afterwards: answers the other machines, whose last responses may be lost, until nothing has arrived for
 * SKYWAY_WORKER_LINGER ticks of the line's clock. */
void skyway_worker_linger(void);

/* The Java Serializer Benchmark Set as a distributed program, as in the paper: in each round every machine serializes
 * MediaContent objects, sends the bytes to all others, and deserializes what it receives. `scale` is the number of
 * objects that a machine serializes in a round. The results are the digests of all objects that a machine has
 * received. */
extern const struct shuffle_program jsbs;

#endif
