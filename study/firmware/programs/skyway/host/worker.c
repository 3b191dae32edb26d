/* A worker of shuffling programs as a process of this host. The other worker is at the other end of the line, or
 * several are behind a switch (sim/medium.py), on simulated SoCs or not:
 *
 *   worker NUMBER WORKERS PATH BYTE_CYCLES PATIENCE HEAP MEMORY [PROGRAM SERIALIZER SCALE]...
 *
 * NUMBER is this worker's, of WORKERS, PATH the line's Unix socket, BYTE_CYCLES the cycles that a byte takes, PATIENCE
 * the cycles until a request is sent again, HEAP the bytes of the heap, MEMORY those for serializers and streams; the
 * rest says what to run. The exit code is 0, 1 on a failure, 2 for invalid arguments.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "generated/mem.h"
#include "memory.h"
#include "programs/skyway/medium.h"
#include "programs/skyway/worker.h"
#include "runtime/object.h"

/* The line, by the tokens of docs/reference/sim.md, "Two machines". What this process computes between two tokens takes
 * no simulated time. */
#define MAGIC 0x4b4e4c48u
#define TOKEN_QUANTUM 1000u
#define CONNECT_MICROSECONDS 20000
#define CONNECT_TRIES 3000

struct token_line {
    struct hw_skyway_line line;
    int socket; /* negative: the line is cut */
    uint32_t byte_cycles;
    uint64_t cycle;    /* of the simulation */
    uint64_t free;     /* the cycle at which the line can take the next byte */
    uint8_t *out, *in; /* waiting bytes, [at, limit) */
    uint32_t out_at, out_limit, out_room, in_at, in_limit, in_room;
};

static bool move(struct token_line *line, void *data, size_t bytes, bool writes) {
    uint8_t *at = data;

    for (ssize_t done; bytes && line->socket >= 0; at += done, bytes -= (size_t)done)
        if ((done = writes ? write(line->socket, at, bytes) : read(line->socket, at, bytes)) <= 0) break;
    return bytes == 0;
}

static void append(uint8_t **data, uint32_t *at, uint32_t *limit, uint32_t *room, uint8_t byte) {
    if (*at == *limit) *at = *limit = 0;
    if (*limit == *room) *data = realloc(*data, *room = 2 * *room + 4096);
    (*data)[(*limit)++] = byte;
}

/* Exchanges a token in each direction: a quantum of time passes. */
static bool pass(struct token_line *line) {
    static uint8_t token[2 + 3 * TOKEN_QUANTUM];
    uint16_t count = 0, theirs;
    uint64_t end = line->cycle + TOKEN_QUANTUM;

    while (line->out_at < line->out_limit && line->free < end) {
        uint64_t at = line->free > line->cycle ? line->free : line->cycle;
        uint32_t offset = (uint32_t)(at - line->cycle);
        uint8_t *entry = token + 2 + 3 * count++;

        entry[0] = (uint8_t)offset;
        entry[1] = (uint8_t)(offset >> 8);
        entry[2] = line->out[line->out_at++];
        line->free = at + line->byte_cycles;
    }
    token[0] = (uint8_t)count;
    token[1] = (uint8_t)(count >> 8);
    line->cycle = end;
    if (!move(line, token, 2 + 3u * count, true) || !move(line, &theirs, 2, false) || theirs > TOKEN_QUANTUM ||
        !move(line, token, 3u * theirs, false))
        return false;
    for (uint32_t i = 0; i < theirs; i++)
        append(&line->in, &line->in_at, &line->in_limit, &line->in_room, token[3 * i + 2]);
    return true;
}

static void put(struct hw_skyway_line *base, const uint8_t *data, uint32_t bytes) {
    struct token_line *line = (struct token_line *)base;

    for (uint32_t i = 0; i < bytes; i++) append(&line->out, &line->out_at, &line->out_limit, &line->out_room, data[i]);
}

static int32_t get(struct hw_skyway_line *base, uint8_t *data, uint32_t capacity, uint32_t wait) {
    struct token_line *line = (struct token_line *)base;
    uint32_t got = 0;

    for (uint64_t limit = line->cycle + wait; line->in_at == line->in_limit && line->cycle < limit;)
        if (!pass(line)) return -1;
    while (got < capacity && line->in_at < line->in_limit) data[got++] = line->in[line->in_at++];
    return (int32_t)got;
}

static uint32_t now(struct hw_skyway_line *line) { return (uint32_t)((const struct token_line *)line)->cycle; }

/* Connects to the simulator that listens at `path`, waiting for it if necessary. The line's ticks are cycles. Returns
 * false if it is no such line. */
static bool token_line_open(struct token_line *line, const char *path, uint32_t byte_cycles, uint32_t patience) {
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    uint32_t ours[3] = {MAGIC, TOKEN_QUANTUM, byte_cycles}, theirs[3];
    bool connected = false;

    *line = (struct token_line){
        .line = {.put = put, .get = get, .now = now, .patience = patience}, .socket = -1, .byte_cycles = byte_cycles};
    if (strlen(path) >= sizeof to.sun_path) return false;
    strcpy(to.sun_path, path);
    signal(SIGPIPE, SIG_IGN);
    line->socket = socket(AF_UNIX, SOCK_STREAM, 0);
    for (int tries = 0; tries < CONNECT_TRIES && !connected; tries++)
        if (!(connected = connect(line->socket, (struct sockaddr *)&to, sizeof to) == 0)) usleep(CONNECT_MICROSECONDS);
    return connected && move(line, ours, sizeof ours, true) && move(line, theirs, sizeof theirs, false) &&
           memcmp(ours, theirs, sizeof ours) == 0;
}

/* Sends what was put, then cuts the line. */
static void token_line_close(struct token_line *line) {
    while (line->out_at < line->out_limit && pass(line));
    if (line->socket >= 0) close(line->socket);
    line->socket = -1;
    free(line->out);
    free(line->in);
}

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

static int run(const struct skyway_parameters *given, const struct skyway_job *jobs) {
    const struct skyway_worker options = {
        .given = given,
        .jobs = jobs,
        .line = &line.line,
        .clock = clock_now,
        .heap = MAIN_RAM_BASE + HEAPS_OFFSET + given->worker * HEAPS_APART,
        .memory = hw_pointer(MAIN_RAM_BASE + MEMORY_OFFSET),
    };
    bool good = skyway_worker_run(&options);

    skyway_worker_linger();
    return good ? 0 : 1;
}

int main(int argc, char **argv) {
    uint32_t byte_cycles, count = argc < FIXED_ARGUMENTS ? 0 : (uint32_t)(argc - FIXED_ARGUMENTS) / JOB_ARGUMENTS;
    struct skyway_parameters given = {.count = count};

    if (argc < FIXED_ARGUMENTS || (argc - FIXED_ARGUMENTS) % JOB_ARGUMENTS != 0) return misused(argv[argc - 1]);
    if (!number(argv[2], 2, MEDIUM_MACHINES, &given.workers)) return misused(argv[2]);
    if (!number(argv[1], 0, given.workers - 1, &given.worker)) return misused(argv[1]);
    if (!number(argv[4], 1, UINT32_MAX, &byte_cycles)) return misused(argv[4]);
    if (!number(argv[5], 1, INT32_MAX, &given.patience)) return misused(argv[5]);
    if (!number(argv[6], BYTES_MIN, HEAP_MAX, &given.heap_bytes)) return misused(argv[6]);
    if (!number(argv[7], BYTES_MIN, MEMORY_MAX, &given.memory_bytes)) return misused(argv[7]);
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

    if (token_line_open(&line, argv[3], byte_cycles, given.patience))
        code = run(&given, jobs);
    else
        printf("# %s is no line to a simulated SoC\n", argv[3]);
    token_line_close(&line);
    free(jobs);
    return code;
}
