/* One worker: a process with its own heap, and a socket to each other worker.
 *
 *   worker PROGRAM SERIALIZER WORKER SCALE STRESS FD...     a descriptor for each worker, -1 for itself
 *
 * Prints `key value` for each result, then `# phases objects digest local remote` (bytes).
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "machine.h"
#include "programs/serializers/serializers.h"
#include "programs/shuffle/shuffle.h"
#include "runtime/heap/heap.h"
#include "runtime/heap/walk.h"

#define STREAM (1u << 20)

static int descriptors[SHUFFLE_WORKERS];

static bool move(int file, void *data, size_t bytes, bool writes) {
    for (char *at = data; bytes;) {
        ssize_t part = writes ? write(file, at, bytes) : read(file, at, bytes);

        if (part <= 0) return false;
        at += part;
        bytes -= (size_t)part;
    }
    return true;
}

/* Exchanges the buffers pair by pair. The lower worker of a pair writes first. */
static bool exchange(struct shuffle *shuffle) {
    for (uint32_t peer = 0; peer < shuffle->workers; peer++) {
        for (int turn = 0; peer != shuffle->worker && turn < 2; turn++) {
            bool writes = (shuffle->worker < peer) == (turn == 0);
            struct shuffle_bytes *stream = writes ? &shuffle->out[peer] : &shuffle->in[peer];

            shuffle_time(shuffle, writes ? SHUFFLE_WRITE : SHUFFLE_READ);
            if (!move(descriptors[peer], &stream->bytes, 4, writes) || stream->bytes > stream->capacity ||
                !move(descriptors[peer], stream->data, stream->bytes, writes))
                return false;
        }
    }
    return true;
}

static void emit(struct shuffle *shuffle, const char *key, uint64_t value) {
    (void)shuffle;
    printf("%s %llu\n", key, (unsigned long long)value);
}

int main(int count, char **arguments) {
    static struct shuffle shuffle;
    const struct shuffle_program *program = count > 6 ? shuffle_program(arguments[1]) : NULL;
    const struct serializer *serializer = count > 6 ? serializer_of(arguments[2]) : NULL;
    uint32_t workers = (uint32_t)count - 6;

    if (!program || !serializer || workers > SHUFFLE_WORKERS) return 2;
    signal(SIGPIPE, SIG_IGN); /* the exchange reports a lost peer */
    if (!machine_begin(atoi(arguments[5]))) return 2;
    shuffle_open(&shuffle, program, serializer, (uint32_t)atoi(arguments[3]), workers, (uint32_t)atoi(arguments[4]));
    shuffle.exchange = exchange;
    shuffle.emit = emit;
    shuffle_streams(&shuffle, machine_memory(2 * workers * STREAM), STREAM);
    for (uint32_t peer = 0; peer < workers; peer++) descriptors[peer] = atoi(arguments[6 + peer]);
    if (!shuffle_run(&shuffle)) {
        printf("phase %u: %s\n", shuffle.phase, shuffle.failure);
        return 3;
    }
    struct hw_walk walk;

    if (!hw_heap_walk(&walk)) {
        printf("walker: %s\n", walk.fault);
        return 3;
    }
    printf("# %u %u %u %llu %llu\n", shuffle.phase, shuffle.objects, shuffle.digest,
           (unsigned long long)shuffle.local_bytes, (unsigned long long)shuffle.remote_bytes);
    shuffle_close(&shuffle);
    return 0;
}
