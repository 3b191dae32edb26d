/* A sink that keeps what is sent, and a source that brings it in pieces; both may collect on the way. */
#ifndef TEST_SKYWAY_MEDIUM_H
#define TEST_SKYWAY_MEDIUM_H

#include "skyway/medium.h"

struct test_sink {
    struct hw_skyway_sink sink;
    uint8_t *buffer, *kept;
    uint32_t capacity, size, aborts;
    uint32_t collect; /* every so many sends; 0: never */
    uint32_t sends;
    void (*meanwhile)(void); /* called at every send, once: what another thread does then; NULL: nothing */
};

/* An output buffer of `capacity` bytes, which ASan watches. */
void test_sink_open(struct test_sink *sink, uint32_t capacity, uint32_t collect);
void test_sink_close(struct test_sink *sink);

struct test_source {
    struct hw_skyway_source source;
    const uint8_t *data;
    uint32_t size, at, piece, collect, fetches;
    uint8_t *lent; /* a copy of the last piece */
};

/* `size` bytes, at most `piece` of them at a time. */
void test_source_open(struct test_source *source, const uint8_t *data, uint32_t size, uint32_t piece, uint32_t collect);
void test_source_close(struct test_source *source);

#endif
