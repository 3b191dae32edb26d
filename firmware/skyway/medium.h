/* Sources and targets of streams (docs/reference/skyway.md, "Media").
 *
 * A sink provides its buffer, which is the paper's output buffer and lies outside the managed heap. A source shows what
 * has arrived.
 */
#ifndef HW_SKYWAY_MEDIUM_H
#define HW_SKYWAY_MEDIUM_H

#include <stdbool.h>
#include <stdint.h>

struct hw_skyway_sink {
    uint8_t *at;    /* where the stream writes; 8-byte aligned */
    uint8_t *limit; /* the end of the buffer */
    /* Sends the first `bytes` bytes, a multiple of 8, and sets `at` and `limit` for more. A safepoint if it waits.
     * Returns false if they cannot be sent; then no more of this stream can be. */
    bool (*send)(struct hw_skyway_sink *sink, uint32_t bytes);
    /* Called when a stream begins, when it has ended well, and when it is given up; the receiver must not see anything
     * of a stream that is given up. NULL: not called. */
    bool (*begin)(struct hw_skyway_sink *sink);
    bool (*end)(struct hw_skyway_sink *sink);
    void (*abort)(struct hw_skyway_sink *sink);
    /* Sending empties the buffer, so more than one buffer can be sent. */
    bool drains;
};

struct hw_skyway_source {
    const uint8_t *at, *limit; /* bytes that have arrived and are not taken yet */
    /* Gets more: waits for at least one byte behind `limit`; may overwrite bytes that were taken. A safepoint if it
     * waits. Returns false if nothing more comes. NULL: nothing more comes. */
    bool (*fetch)(struct hw_skyway_source *source);
};

/* Consecutive streams in memory, which is 8-byte aligned. */
struct hw_skyway_memory_sink {
    struct hw_skyway_sink sink;
    uint8_t *begun; /* where the stream under way began */
};

void hw_skyway_memory_sink(struct hw_skyway_memory_sink *sink, void *memory, uint32_t bytes);
void hw_skyway_memory_source(struct hw_skyway_source *source, const void *memory, uint32_t bytes);

#endif
