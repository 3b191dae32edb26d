/* All workers of a program in one process, where they take turns.
 *
 *   workers PROGRAM SERIALIZER WORKERS SCALE STRESS
 *
 * Prints `key value` for each result, and `# phases objects digest local remote` (bytes) for each worker.
 */
#include <stdio.h>
#include <stdlib.h>

#include "machine.h"
#include "programs/serializers/serializers.h"
#include "programs/shuffle/shuffle.h"
#include "runtime/heap/heap.h"
#include "runtime/heap/walk.h"

#define STREAMS (32u << 20) /* bytes of all streams */

static struct shuffle workers[SHUFFLE_WORKERS];

static void emit(struct shuffle *shuffle, const char *key, uint64_t value) {
    (void)shuffle;
    printf("%s %llu\n", key, (unsigned long long)value);
}

int main(int count, char **arguments) {
    const struct shuffle_program *program = count == 6 ? shuffle_program(arguments[1]) : NULL;
    const struct serializer *serializer = count == 6 ? serializer_of(arguments[2]) : NULL;
    uint32_t many = count == 6 ? (uint32_t)atoi(arguments[3]) : 0;

    if (!program || !serializer || many - 1 >= SHUFFLE_WORKERS || !machine_begin(atoi(arguments[5]))) return 2;
    for (uint32_t i = 0, each = STREAMS / (2 * many * many) & ~63u; i < many; i++) {
        shuffle_open(&workers[i], program, serializer, i, many, (uint32_t)atoi(arguments[4]));
        shuffle_streams(&workers[i], machine_memory(2 * many * each), each);
        workers[i].emit = emit;
    }
    while (workers[0].state == SHUFFLE_RUNNING) {
        for (uint32_t i = 0; i < many; i++) shuffle_send(&workers[i]);
        /* What one has written, the other reads where it is. */
        for (uint32_t i = 0; i < many; i++)
            for (uint32_t peer = 0; peer < many; peer++) workers[peer].in[i] = workers[i].out[peer];
        for (uint32_t i = 0; i < many; i++) shuffle_receive(&workers[i]);
    }
    struct hw_walk walk;

    if (!hw_heap_walk(&walk)) {
        printf("walker: %s\n", walk.fault);
        return 3;
    }
    for (struct shuffle *each = workers; each < workers + many; each++) {
        if (each->state != SHUFFLE_DONE) {
            printf("phase %u: %s\n", each->phase, each->failure ? each->failure : "it does not agree that all is done");
            return 3;
        }
        printf("# %u %u %u %llu %llu\n", each->phase, each->objects, each->digest,
               (unsigned long long)each->local_bytes, (unsigned long long)each->remote_bytes);
        shuffle_close(each);
    }
    return 0;
}
