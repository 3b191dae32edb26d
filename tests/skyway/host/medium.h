/* A sink that keeps what is sent, and a source that delivers it in pieces. Both can collect at every call. */
#ifndef TEST_SKYWAY_MEDIUM_H
#define TEST_SKYWAY_MEDIUM_H

#include "skyway/medium.h"

struct test_sink {
    struct hw_skyway_sink sink;
    uint8_t *buffer, *kept;
    uint32_t capacity, size, aborts;
    uint32_t collect; /* collect at every such number of sends; 0: never */
    uint32_t sends;
    void (*meanwhile)(void); /* called once, at the next send, in place of another thread; NULL: nothing */
};

/* Opens a sink with an output buffer of `capacity` bytes, whose bounds ASan checks. */
void test_sink_open(struct test_sink *sink, uint32_t capacity, uint32_t collect);
void test_sink_close(struct test_sink *sink);

struct test_source {
    struct hw_skyway_source source;
    const uint8_t *data;
    uint32_t size, at, piece, collect, fetches;
    uint8_t *lent; /* a copy of the last piece */
};

/* Opens a source of `size` bytes, which delivers at most `piece` at a time. */
void test_source_open(struct test_source *source, const uint8_t *data, uint32_t size, uint32_t piece, uint32_t collect);
void test_source_close(struct test_source *source);

#endif
