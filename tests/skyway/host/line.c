#define _GNU_SOURCE
#include "line.h"

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static void put(struct hw_skyway_line *line, const uint8_t *data, uint32_t bytes) {
    struct test_line *own = (struct test_line *)line;

    for (ssize_t sent; bytes; data += sent, bytes -= (uint32_t)sent)
        if ((sent = write(own->out, data, bytes)) <= 0) return; /* the line is cut: nobody will answer */
}

static int32_t get(struct hw_skyway_line *line, uint8_t *data, uint32_t capacity, uint32_t wait) {
    struct test_line *own = (struct test_line *)line;
    struct pollfd ready = {.fd = own->in, .events = POLLIN};

    if (poll(&ready, 1, (int)wait) <= 0) return 0;
    ssize_t got = read(own->in, data, capacity);

    return got > 0 ? (int32_t)got : -1;
}

static uint32_t now(struct hw_skyway_line *line) {
    struct timespec time;

    (void)line;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint32_t)time.tv_sec * 1000u + (uint32_t)(time.tv_nsec / 1000000);
}

void test_line_open(struct test_line *line, int in, int out, int patience_ms) {
    signal(SIGPIPE, SIG_IGN); /* a line that is cut must not end the program */
    *line = (struct test_line){
        .line = {.put = put, .get = get, .now = now, .patience = (uint32_t)patience_ms}, .in = in, .out = out};
}

bool test_line_connect(struct test_line *line, uint16_t port, int patience_ms) {
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int end = socket(AF_INET, SOCK_STREAM, 0), on = 1;

    if (line->in > 0) close(line->in);
    setsockopt(end, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    test_line_open(line, end, end, patience_ms);
    return connect(end, (struct sockaddr *)&to, sizeof to) == 0;
}
