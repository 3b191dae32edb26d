/* Programs that shuffle: each worker has a part of the data, and between two steps of computation workers send each
 * other objects, by the serializer that makes their streams (programs/serializers).
 *
 * A worker is a `struct shuffle`. If each worker has a machine of its own, the program calls
 *
 *   shuffle_open(&shuffle, program, serializer, worker, workers, scale);
 *   shuffle_streams(&shuffle, memory, each);
 *   ... `clock` and `exchange` are set ...
 *   shuffle_run(&shuffle);
 *   shuffle_close(&shuffle);
 *
 * If a machine has several workers, it calls shuffle_send for each, moves out[peer] of each to in[worker] of each peer,
 * and calls shuffle_receive for each, until none is SHUFFLE_RUNNING. All workers end in the same phase. Every call is a
 * safepoint.
 */
#ifndef HW_PROGRAMS_SHUFFLE_H
#define HW_PROGRAMS_SHUFFLE_H

#include "records/shuffle.h"
#include "runtime/object_stream.h"

#define SHUFFLE_WORKERS 8u

enum shuffle_state {
    SHUFFLE_RUNNING,
    SHUFFLE_DONE,
    SHUFFLE_FAILED, /* `failure` says why */
};

#define SHUFFLE_TIMES (SHUFFLE_READ + 1)

/* Their names in rows. */
extern const char *const shuffle_time_names[SHUFFLE_TIMES];

/* A stream: the first `bytes` of the `capacity` bytes at `data`, 64-byte aligned and outside the heap. */
struct shuffle_bytes {
    uint8_t *data;
    uint32_t capacity, bytes;
};

struct shuffle {
    const struct shuffle_program *program;
    const struct serializer *serializer;
    uint32_t worker, workers; /* the number of this one, from 0; how many there are */
    uint32_t scale;           /* size of the problem: words, vertices, orders */

    /* Streams to and from each worker; the caller sets their memory before the first phase. A worker also serializes
     * what it sends itself, and reads it where it was written, so its own `in` is not needed. */
    struct shuffle_bytes out[SHUFFLE_WORKERS], in[SHUFFLE_WORKERS];
    uint64_t (*clock)(void); /* returns cycles, or another unit of time */
    /* Sends out[peer] to each other worker and receives in[peer] from it. Calls shuffle_time where it begins to write
     * and to read. Returns false after shuffle_fail. Only for shuffle_run. */
    bool (*exchange)(struct shuffle *shuffle);
    /* Called for each result. NULL: results are only counted. */
    void (*emit)(struct shuffle *shuffle, const char *key, uint64_t value);
    void *context; /* for the caller */

    uint32_t phase; /* the phase under way, from 0 */
    enum shuffle_state state;
    const char *failure;
    uint64_t times[SHUFFLE_TIMES];
    uint64_t local_bytes, remote_bytes; /* written for itself; for others */
    uint32_t objects;                   /* roots written */
    uint32_t results;                   /* number of results of this worker */
    uint32_t digest;                    /* sum of the digests of its results (shuffle_emit) */

    /* For the program. */
    bool broadcast; /* `send` is called once: all other workers get the bytes of out[worker], which is not read here */
    hw_handle data, more; /* global handles, or NULL */
    uint64_t own[8];
    /* State of the clock. */
    enum shuffle_time now;
    uint64_t since, collected;
};

/* A program. A phase is `send` for each worker in order, `receive` for each, then `compute`. Each call of send and
 * receive has its own scope of handles. Functions return false after shuffle_fail, or to have it called. */
struct shuffle_program {
    const char *name;
    bool (*begin)(struct shuffle *shuffle);
    bool (*send)(struct shuffle *shuffle, uint32_t peer, struct hw_object_output *stream);
    bool (*receive)(struct shuffle *shuffle, uint32_t peer, struct hw_object_input *stream);
    /* Called behind the last `receive` of a phase. `*more` tells whether there is another phase; all workers must
     * agree. NULL: there is one phase. */
    bool (*compute)(struct shuffle *shuffle, bool *more);
    /* Emits the results, each by shuffle_emit. NULL: `receive` does. */
    bool (*finish)(struct shuffle *shuffle);
};

extern const struct shuffle_program shuffle_word_count, shuffle_page_rank, shuffle_components, shuffle_triangles;

/* These, then the queries (`query-a` to `query-e`). */
extern const struct shuffle_program *const shuffle_programs[];
extern const uint32_t shuffle_program_count;

/* Returns the program of this name, or NULL. */
const struct shuffle_program *shuffle_program(const char *name);

/* Initialises a worker before its first phase. All other members become 0. */
void shuffle_open(struct shuffle *shuffle, const struct shuffle_program *program, const struct serializer *serializer,
                  uint32_t worker, uint32_t workers, uint32_t scale);

/* Gives each stream to and from `workers` workers `each` bytes of memory, a multiple of 64. */
void shuffle_streams(struct shuffle *shuffle, uint8_t *memory, uint32_t each);

/* Begins a phase: fills `out`. */
enum shuffle_state shuffle_send(struct shuffle *shuffle);

/* Ends the phase: reads `in`. SHUFFLE_DONE: the results have been emitted. */
enum shuffle_state shuffle_receive(struct shuffle *shuffle);

/* Runs all phases, with `exchange` in between. Returns false if the worker failed. */
bool shuffle_run(struct shuffle *shuffle);

/* Prints what a worker has counted as members of a JSON object, each with a comma behind it. */
void shuffle_print(const struct shuffle *shuffle);

/* Drops the worker's handles. */
void shuffle_close(struct shuffle *shuffle);

/* Assigns the time from now on to `time`. */
void shuffle_time(struct shuffle *shuffle, enum shuffle_time time);

/* Records the first failure. Returns false. */
bool shuffle_fail(struct shuffle *shuffle, const char *why);

/* Goes on with a CRC-32 over a value's 8 bytes. */
uint32_t shuffle_crc32(uint32_t crc, uint64_t value);

/* Emits a result. Adds crc32(key, a byte 0, the value's 8 bytes) to the digest, modulo 2^32. */
void shuffle_emit(struct shuffle *shuffle, const char *key, uint64_t value);

#endif
