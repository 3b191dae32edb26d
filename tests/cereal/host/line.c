/* The echo program on standard input and output: `line PATIENCE`, in milliseconds. Reports errors on standard error. */
#define _POSIX_C_SOURCE 200809L

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "../line/echo.h"
#include "heap.h"
#include "memory.h"

#define SILENCES 3

static uint32_t now(void) {
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint32_t)(time.tv_sec * 1000 + time.tv_nsec / 1000000);
}

static void put(uint8_t byte) {
    if (write(1, &byte, 1) != 1) exit(0); /* the host has gone */
}

static bool take(uint8_t *byte) {
    static uint8_t buffer[4096];
    static ssize_t at, end;

    if (at == end) {
        struct pollfd ready = {.fd = 0, .events = POLLIN};

        at = end = 0;
        if (poll(&ready, 1, 1) > 0 && (end = read(0, buffer, sizeof buffer)) <= 0) exit(0);
    }
    if (at == end) return false;
    *byte = buffer[at++];
    return true;
}

static void failed(int status, uint32_t offset) { fprintf(stderr, "%d %u\n", status, offset); }

int main(int count, char **arguments) {
    static struct object_line line;

    memory_map();
    test_heap();
    object_line_open(&line, put, take, now, count > 1 ? (uint32_t)strtoul(arguments[1], NULL, 0) : 1000);
    echo(&line, SILENCES, failed);
    return 0;
}
