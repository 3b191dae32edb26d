/* A worker of shuffling programs as a process of this host. The other worker is at the other end of the line, or
 * several are behind a switch (sim/medium.py), on simulated SoCs or not:
 *
 *   worker NUMBER WORKERS PATH BYTE_CYCLES PATIENCE HEAP MEMORY [PROGRAM SERIALIZER SCALE]...
 *
 * NUMBER is this worker's, of WORKERS, PATH the line's Unix socket, BYTE_CYCLES the cycles that a byte takes, PATIENCE
 * the cycles until a request is sent again, HEAP the bytes of the heap, MEMORY those for serializers and streams; the
 * rest says what to run. The exit code is 0, 1 on a failure, 2 for invalid arguments.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "generated/mem.h"
#include "memory.h"
#include "programs/skyway/medium.h"
#include "programs/skyway/worker.h"
#include "runtime/object.h"
#include "token_line.h"

/* Places in main memory: of the heaps, which begin elsewhere for each worker, and of the memory beside them. */
#define HEAPS_OFFSET (8u << 20)
#define HEAPS_APART (2u << 20)
#define MEMORY_OFFSET (40u << 20)
#define HEAP_MAX (MEMORY_OFFSET - HEAPS_OFFSET - (MEDIUM_MACHINES - 1) * HEAPS_APART)
#define MEMORY_MAX ((uint32_t)MAIN_RAM_SIZE - MEMORY_OFFSET)
#define BYTES_MIN (1u << 20)
#define FIXED_ARGUMENTS 8
#define JOB_ARGUMENTS 3

static struct token_line line;

static uint64_t clock_now(void) { return line.cycle; }

static int misused(const char *argument) {
    fprintf(stderr,
            "worker: '%s' means nothing\nusage: worker NUMBER WORKERS PATH BYTE_CYCLES PATIENCE HEAP MEMORY [PROGRAM "
            "SERIALIZER SCALE]...\n",
            argument);
    return 2;
}

/* Parses a number from `least` to `most`. */
static bool number(const char *text, uint32_t least, uint32_t most, uint32_t *value) {
    char *end;

    errno = 0;
    unsigned long found = strtoul(text, &end, 10);

    *value = (uint32_t)found;
    return errno == 0 && end != text && *end == 0 && *text != '-' && found >= least && found <= most;
}

static bool name(const char *text, char *to, size_t room) {
    size_t length = strlen(text);

    if (length >= room) return false;
    memcpy(to, text, length + 1);
    return true;
}

static int run(uint32_t worker, uint32_t workers, uint32_t heap, uint32_t memory, const struct skyway_job *jobs,
               uint32_t count) {
    const struct skyway_worker options = {
        .worker = worker,
        .workers = workers,
        .line = &line.line,
        .clock = clock_now,
        .heap = MAIN_RAM_BASE + HEAPS_OFFSET + worker * HEAPS_APART,
        .heap_bytes = heap,
        .memory = hw_pointer(MAIN_RAM_BASE + MEMORY_OFFSET),
        .memory_bytes = memory,
        .count = count,
        .jobs = jobs,
    };
    bool good = skyway_worker_run(&options);

    skyway_worker_linger();
    return good ? 0 : 1;
}

int main(int argc, char **argv) {
    uint32_t worker, workers, byte_cycles, patience, heap, memory,
        count = argc < FIXED_ARGUMENTS ? 0 : (uint32_t)(argc - FIXED_ARGUMENTS) / JOB_ARGUMENTS;

    if (argc < FIXED_ARGUMENTS || (argc - FIXED_ARGUMENTS) % JOB_ARGUMENTS != 0) return misused(argv[argc - 1]);
    if (!number(argv[2], 2, MEDIUM_MACHINES, &workers)) return misused(argv[2]);
    if (!number(argv[1], 0, workers - 1, &worker)) return misused(argv[1]);
    if (!number(argv[4], 1, UINT32_MAX, &byte_cycles)) return misused(argv[4]);
    if (!number(argv[5], 1, INT32_MAX, &patience)) return misused(argv[5]);
    if (!number(argv[6], BYTES_MIN, HEAP_MAX, &heap)) return misused(argv[6]);
    if (!number(argv[7], BYTES_MIN, MEMORY_MAX, &memory)) return misused(argv[7]);
    struct skyway_job *jobs = calloc(count + 1, sizeof *jobs);

    for (uint32_t i = 0; i < count; i++) {
        char **words = argv + FIXED_ARGUMENTS + JOB_ARGUMENTS * i;
        const char *wrong = !name(words[0], jobs[i].program, sizeof jobs[i].program)         ? words[0]
                            : !name(words[1], jobs[i].serializer, sizeof jobs[i].serializer) ? words[1]
                            : !number(words[2], 1, UINT32_MAX, &jobs[i].scale)               ? words[2]
                                                                                             : NULL;

        if (wrong) {
            free(jobs);
            return misused(wrong);
        }
    }
    memory_map();
    setvbuf(stdout, NULL, _IOLBF, 0);
    int code = 1;

    if (token_line_open(&line, argv[3], byte_cycles, patience))
        code = run(worker, workers, heap, memory, jobs, count);
    else
        printf("# %s is no line to a simulated SoC\n", argv[3]);
    token_line_close(&line);
    free(jobs);
    return code;
}
