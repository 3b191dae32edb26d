#define _GNU_SOURCE
#include "token_line.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define MAGIC 0x4b4e4c48u
#define CONNECT_MICROSECONDS 20000
#define CONNECT_TRIES 3000

static bool push(struct token_line *line, const void *data, size_t bytes) {
    const uint8_t *at = data;

    for (ssize_t done; bytes && line->socket >= 0; at += done, bytes -= (size_t)done)
        if ((done = write(line->socket, at, bytes)) <= 0) break;
    return bytes == 0;
}

static bool pull(struct token_line *line, void *data, size_t bytes) {
    uint8_t *at = data;

    for (ssize_t done; bytes && line->socket >= 0; at += done, bytes -= (size_t)done)
        if ((done = read(line->socket, at, bytes)) <= 0) break;
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
    if (!push(line, token, 2 + 3u * count) || !pull(line, &theirs, 2) || theirs > TOKEN_QUANTUM ||
        !pull(line, token, 3u * theirs))
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

bool token_line_open(struct token_line *line, const char *path, uint32_t byte_cycles, uint32_t patience) {
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
    return connected && push(line, ours, sizeof ours) && pull(line, theirs, sizeof theirs) &&
           memcmp(ours, theirs, sizeof ours) == 0;
}

void token_line_close(struct token_line *line) {
    while (line->out_at < line->out_limit && pass(line));
    if (line->socket >= 0) close(line->socket);
    line->socket = -1;
    free(line->out);
    free(line->in);
}
