/* Programs that shuffle: each worker has a part of the data, and between two steps of computation workers send each other objects, by
 * whatever serializer their streams are made with (serializers.h).
 *
 * A worker is a `struct shuffle`. A program that has a machine of its own for each worker calls
 *
 *   shuffle_open(&shuffle, program, serializer, worker, workers, scale);
 *   ... out[] and in[] have memory, `clock` and `exchange` are set ...
 *   shuffle_run(&shuffle);
 *   shuffle_close(&shuffle);
 *
 * One that has several workers calls shuffle_send for each, moves out[peer] of each to in[worker] of each peer, and calls
 * shuffle_receive for each, until none is SHUFFLE_RUNNING. All workers end in the same phase. Every call is a safepoint.
 */
#ifndef HW_PROGRAMS_SHUFFLE_H
#define HW_PROGRAMS_SHUFFLE_H

#include "runtime/object_stream.h"

#define SHUFFLE_WORKERS 8u

enum shuffle_state {
    SHUFFLE_RUNNING,
    SHUFFLE_DONE,
    SHUFFLE_FAILED, /* `failure` says at what */
};

/* What time goes to: the columns of the papers. Collections count as such, wherever they happen. */
enum shuffle_time {
    SHUFFLE_COMPUTATION,
    SHUFFLE_COLLECTION,
    SHUFFLE_SERIALIZE,   /* objects to bytes */
    SHUFFLE_WRITE,       /* bytes out of this machine: told by `exchange` */
    SHUFFLE_DESERIALIZE, /* bytes to objects */
    SHUFFLE_READ,        /* bytes into this machine: told by `exchange` */
    SHUFFLE_TIMES,
};

/* What rows call them. */
extern const char *const shuffle_time_names[SHUFFLE_TIMES];

/* A stream: `bytes` of the `capacity` bytes at `data`, 64-byte aligned and outside the heap. */
struct shuffle_bytes {
    uint8_t *data;
    uint32_t capacity, bytes;
};

struct shuffle {
    const struct shuffle_program *program;
    const struct shuffle_serializer *serializer;
    uint32_t worker, workers; /* this one, from 0 on; how many */
    uint32_t scale;           /* of the problem: words, vertices */

    /* By the caller, before the first phase. To and from each worker; its own too, which need no `in`: what a worker sends itself is
     * serialized like the rest, and read where it was written. */
    struct shuffle_bytes out[SHUFFLE_WORKERS], in[SHUFFLE_WORKERS];
    uint64_t (*clock)(void); /* cycles, or what time is counted in */
    /* Each out[peer] to each other worker, each in[peer] from it; calls shuffle_time where it begins to write and to read. False: the
     * line is cut, or what comes has no room. Of shuffle_run alone. */
    bool (*exchange)(struct shuffle *shuffle);
    /* A result: NULL, nobody is told. */
    void (*emit)(struct shuffle *shuffle, const char *key, uint64_t value);
    void *context; /* the caller's */

    uint32_t phase;          /* the one under way, from 0 on */
    enum shuffle_state state;
    const char *failure;
    uint64_t times[SHUFFLE_TIMES];
    uint64_t local_bytes, remote_bytes; /* written for itself, for others */
    uint32_t objects;        /* roots written */
    uint32_t results;        /* of this worker, */
    uint32_t digest;         /* ... the sum of each one's (shuffle_emit) */

    /* The program's. */
    hw_handle data, more;    /* global handles, NULL: none */
    uint64_t own[8];
    /* The clock's. */
    enum shuffle_time now;
    uint64_t since, collected;
};

/* A program. A phase is `compute`, then `send` for each worker in order, then `receive` for each. Each call has a scope of handles
 * of its own. False: `shuffle_fail`. */
struct shuffle_program {
    const char *name;
    bool (*begin)(struct shuffle *shuffle);
    bool (*send)(struct shuffle *shuffle, uint32_t peer, struct hw_object_output *stream);
    bool (*receive)(struct shuffle *shuffle, uint32_t peer, struct hw_object_input *stream);
    /* Behind the last `receive` of a phase. `*more`: there is another phase, of which all workers must be of one mind. */
    bool (*compute)(struct shuffle *shuffle, bool *more);
    /* The results, each by shuffle_emit. */
    bool (*finish)(struct shuffle *shuffle);
};

extern const struct shuffle_program shuffle_word_count, shuffle_page_rank, shuffle_components, shuffle_triangles;
extern const struct shuffle_program *const shuffle_programs[4];

/* The program of this name (`word-count`, `page-rank`, `components`, `triangles`); NULL: there is none. */
const struct shuffle_program *shuffle_program(const char *name);

/* A worker before its first phase; all else is 0. */
void shuffle_open(struct shuffle *shuffle, const struct shuffle_program *program, const struct shuffle_serializer *serializer,
                  uint32_t worker, uint32_t workers, uint32_t scale);

/* Begins a phase: `out` is filled. */
enum shuffle_state shuffle_send(struct shuffle *shuffle);

/* Ends it: `in` is read. SHUFFLE_DONE: the results are out. */
enum shuffle_state shuffle_receive(struct shuffle *shuffle);

/* All phases, by `exchange`. False: it failed. */
bool shuffle_run(struct shuffle *shuffle);

/* The worker's handles are gone, and the serializer's state. */
void shuffle_close(struct shuffle *shuffle);

/* From now on time is this one's. */
void shuffle_time(struct shuffle *shuffle, enum shuffle_time time);

/* Always false. */
bool shuffle_fail(struct shuffle *shuffle, const char *why);

/* A result: (crc32(key, a byte 0, the value's 8 bytes)) is added to the digest, modulo 2^32. */
void shuffle_emit(struct shuffle *shuffle, const char *key, uint64_t value);

#endif
