/* A line over a file descriptor, for example one end of a socket pair whose other end the test holds. Its ticks are
 * milliseconds. */
#ifndef TEST_SKYWAY_LINE_H
#define TEST_SKYWAY_LINE_H

#include "skyway/registry/link.h"

struct test_line {
    struct hw_skyway_line line;
    int in, out;
};

/* Opens a line over TCP to a port of this machine, after closing an earlier connection. Returns false if nobody
 * listens. */
bool test_line_connect(struct test_line *line, uint16_t port, int patience_ms);

void test_line_open(struct test_line *line, int in, int out, int patience_ms);

#endif
