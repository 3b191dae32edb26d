/* Worker 1 of shuffling programs as a process of the host; worker 0 is a simulated SoC:
 *
 *   worker PATH BYTE_CYCLES [PROGRAM SERIALIZER SCALE]...
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "generated/mem.h"
#include "memory.h"
#include "programs/skyway/worker.h"
#include "runtime/object.h"
#include "token_line.h"

#define PATIENCE 20000000u /* cycles */
#define LINGER 300000u
#define HEAP_OFFSET (8u << 20)
#define HEAP_BYTES (2u << 20)
#define MEMORY_OFFSET (32u << 20)
#define MEMORY_BYTES (8u << 20)
#define JOBS 64

static struct token_line line;

static uint64_t clock_now(void)
{
    return line.cycle;
}

int main(int argc, char **argv)
{
    static struct skyway_job jobs[JOBS];
    uint32_t count = (uint32_t)(argc - 3) / 3;

    if (argc < 3 || (argc - 3) % 3 != 0 || count > JOBS) {
        fprintf(stderr, "usage: worker PATH BYTE_CYCLES [PROGRAM SERIALIZER SCALE]...\n");
        return 2;
    }
    for (uint32_t i = 0; i < count; i++) {
        strncpy(jobs[i].program, argv[3 + 3 * i], sizeof jobs[i].program - 1);
        strncpy(jobs[i].serializer, argv[4 + 3 * i], sizeof jobs[i].serializer - 1);
        jobs[i].scale = (uint32_t)atoi(argv[5 + 3 * i]);
    }
    memory_map();
    if (!token_line_open(&line, argv[1], (uint32_t)atoi(argv[2]), PATIENCE)) {
        printf("# %s is no line to a simulated SoC\n", argv[1]);
        return 1;
    }
    const struct skyway_worker worker = {
        .worker = 1, .line = &line.line, .clock = clock_now, .heap = MAIN_RAM_BASE + HEAP_OFFSET, .heap_bytes = HEAP_BYTES,
        .memory = hw_pointer(MAIN_RAM_BASE + MEMORY_OFFSET), .memory_bytes = MEMORY_BYTES, .count = count, .jobs = jobs,
    };

    setvbuf(stdout, NULL, _IOLBF, 0);
    bool good = skyway_worker_run(&worker);

    line.patience = LINGER;
    skyway_worker_linger();
    token_line_close(&line);
    return good ? 0 : 1;
}
