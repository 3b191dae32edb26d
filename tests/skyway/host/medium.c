#include "medium.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/heap/heap.h"

static bool send(struct hw_skyway_sink *sink, uint32_t bytes) {
    struct test_sink *own = (struct test_sink *)sink;
    void (*meanwhile)(void) = own->meanwhile;

    own->kept = realloc(own->kept, own->size + bytes + 1);
    memcpy(own->kept + own->size, sink->at, bytes);
    own->size += bytes;
    memset(own->buffer, 0xcd, own->capacity); /* the stream must not read it again */
    own->meanwhile = NULL;
    if (meanwhile) meanwhile();
    if (own->collect && ++own->sends % own->collect == 0) hw_collect(own->sends % (4 * own->collect) == 0);
    return true;
}

static void give_up(struct hw_skyway_sink *sink) { ((struct test_sink *)sink)->aborts++; }

void test_sink_open(struct test_sink *sink, uint32_t capacity, uint32_t collect) {
    uint8_t *buffer = malloc(capacity ? capacity : 1);

    *sink = (struct test_sink){
        .sink = {.at = buffer, .limit = buffer + capacity, .send = send, .abort = give_up, .drains = true},
        .buffer = buffer,
        .capacity = capacity,
        .collect = collect,
    };
}

void test_sink_close(struct test_sink *sink) {
    free(sink->buffer);
    free(sink->kept);
    *sink = (struct test_sink){0};
}

static bool fetch(struct hw_skyway_source *source) {
    struct test_source *own = (struct test_source *)source;
    uint32_t bytes = own->size - own->at < own->piece ? own->size - own->at : own->piece;

    if (bytes == 0) return false;
    if (own->collect && ++own->fetches % own->collect == 0) hw_collect(own->fetches % (4 * own->collect) == 0);
    free(own->lent);
    own->lent = malloc(bytes);
    memcpy(own->lent, own->data + own->at, bytes);
    own->at += bytes;
    source->at = own->lent;
    source->limit = own->lent + bytes;
    return true;
}

void test_source_open(struct test_source *source, const uint8_t *data, uint32_t size, uint32_t piece,
                      uint32_t collect) {
    *source = (struct test_source){
        .source = {.fetch = fetch}, .data = data, .size = size, .piece = piece, .collect = collect};
}

void test_source_close(struct test_source *source) { free(source->lent); }
