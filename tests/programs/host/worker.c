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

#include "skyway/registry/java_loader.h"
#include "skyway/registry/registry.h"
#include "generated/mem.h"
#include "memory.h"
#include "programs/shuffle/serializers.h"
#include "programs/shuffle/shuffle.h"
#include "runtime/heap/heap.h"
#include "runtime/heap/walk.h"
#include "runtime/java/class.h"
#include "runtime/java/enum.h"

#define STREAM (1u << 20)
#define WORK (8u << 20)

static int descriptors[SHUFFLE_WORKERS];

static bool put(int file, const void *data, size_t bytes) {
    for (const char *at = data; bytes;) {
        ssize_t part = write(file, at, bytes);

        if (part <= 0) return false;
        at += part;
        bytes -= (size_t)part;
    }
    return true;
}

static bool get(int file, void *data, size_t bytes) {
    for (char *at = data; bytes;) {
        ssize_t part = read(file, at, bytes);

        if (part <= 0) return false;
        at += part;
        bytes -= (size_t)part;
    }
    return true;
}

/* Exchanges the buffers pair by pair. The lower worker of a pair writes first. */
static bool exchange(struct shuffle *shuffle) {
    for (uint32_t peer = 0; peer < shuffle->workers; peer++) {
        struct shuffle_bytes *out = &shuffle->out[peer], *in = &shuffle->in[peer];

        for (int turn = 0; peer != shuffle->worker && turn < 2; turn++) {
            bool writes = (shuffle->worker < peer) == (turn == 0);

            shuffle_time(shuffle, writes ? SHUFFLE_WRITE : SHUFFLE_READ);
            if (writes ? !put(descriptors[peer], &out->bytes, 4) || !put(descriptors[peer], out->data, out->bytes)
                       : !get(descriptors[peer], &in->bytes, 4) || in->bytes > in->capacity ||
                             !get(descriptors[peer], in->data, in->bytes))
                return false;
        }
    }
    return true;
}

static void emit(struct shuffle *shuffle, const char *key, uint64_t value) {
    (void)shuffle;
    printf("%s %llu\n", key, (unsigned long long)value);
}

/* Returns memory behind the heap, where a unit's address is a pointer. */
static void *memory(uint32_t bytes) {
    static uint32_t at = (uint32_t)MAIN_RAM_BASE + (16u << 20);

    at += bytes;
    if (at > (uint32_t)MAIN_RAM_BASE + MAIN_RAM_SIZE) exit(2);
    return hw_pointer(at - bytes);
}

int main(int count, char **arguments) {
    const struct hw_heap_options options = {.base = MAIN_RAM_BASE + 4096u,
                                            .bytes = 8u << 20,
                                            .large_bytes = 3u << 20,
                                            .eden_bytes = 256u << 10,
                                            .stress = count > 5 && atoi(arguments[5]),
                                            .poison = true,
                                            .verify = true};
    static struct shuffle shuffle;
    const struct shuffle_program *program = count > 6 ? shuffle_program(arguments[1]) : NULL;
    const struct shuffle_serializer *serializer = count > 6 ? shuffle_serializer(arguments[2]) : NULL;
    uint32_t workers = (uint32_t)count - 6;

    if (!program || !serializer || workers > SHUFFLE_WORKERS) return 2;
    signal(SIGPIPE, SIG_IGN); /* the exchange reports a lost peer */
    memory_map();
    hw_classes_init();
    if (!hw_heap_init(&options) || !hw_enums_init() || !shuffle_serializers_init(memory(WORK), WORK)) return 2;
    /* All workers load the same classes in the same order. */
    hw_skyway_drive(7, &hw_skyway_java_loader);
    if (hw_skyway_load_java_classes() != 0) return 2;
    shuffle_open(&shuffle, program, serializer, (uint32_t)atoi(arguments[3]), workers, (uint32_t)atoi(arguments[4]));
    shuffle.exchange = exchange;
    shuffle.emit = emit;
    for (uint32_t peer = 0; peer < workers; peer++) {
        descriptors[peer] = atoi(arguments[6 + peer]);
        shuffle.out[peer] = (struct shuffle_bytes){.data = memory(STREAM), .capacity = STREAM};
        shuffle.in[peer] = (struct shuffle_bytes){.data = memory(STREAM), .capacity = STREAM};
    }
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
