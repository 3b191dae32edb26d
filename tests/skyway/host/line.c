#define _GNU_SOURCE
#include "line.h"

#include <poll.h>
#include <signal.h>
#include <unistd.h>

static void put(struct hw_skyway_line *line, const uint8_t *data, uint32_t bytes)
{
    struct test_line *own = (struct test_line *)line;

    for (ssize_t sent; bytes; data += sent, bytes -= (uint32_t)sent)
        if ((sent = write(own->out, data, bytes)) <= 0)
            return; /* cut: nobody answers */
}

static int32_t get(struct hw_skyway_line *line, uint8_t *data, uint32_t capacity, bool wait)
{
    struct test_line *own = (struct test_line *)line;
    struct pollfd ready = {.fd = own->in, .events = POLLIN};

    if (poll(&ready, 1, wait ? own->patience_ms : 0) <= 0)
        return 0;
    ssize_t got = read(own->in, data, capacity);

    return got > 0 ? (int32_t)got : -1;
}

void test_line_open(struct test_line *line, int in, int out, int patience_ms)
{
    signal(SIGPIPE, SIG_IGN); /* a line that is cut is no end of the program */
    *line = (struct test_line){.line = {.put = put, .get = get}, .in = in, .out = out, .patience_ms = patience_ms};
}
