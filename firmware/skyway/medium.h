/* Where streams go to and come from (docs/skyway.md, "Media").
 *
 * A sink lends its buffer, the output buffer of the paper: outside the managed heap. A source shows what has come.
 */
#ifndef HW_SKYWAY_MEDIUM_H
#define HW_SKYWAY_MEDIUM_H

#include <stdbool.h>
#include <stdint.h>

struct hw_skyway_sink {
    uint8_t *at;    /* what is written goes here; 8-byte aligned */
    uint8_t *limit; /* and must end here */
    /* The first `bytes` bytes, a multiple of 8, go on their way; leaves `at` and `limit` ready for more. A safepoint if it
     * waits. False: they do not, nor will any more of this stream. */
    bool (*send)(struct hw_skyway_sink *sink, uint32_t bytes);
    /* A stream has begun, ended well, or was given up, of which the receiver must see nothing; NULL: nobody asks. */
    bool (*begin)(struct hw_skyway_sink *sink);
    bool (*end)(struct hw_skyway_sink *sink);
    void (*abort)(struct hw_skyway_sink *sink);
    /* What is sent leaves the buffer empty, so more than a buffer full can be sent. */
    bool drains;
};

struct hw_skyway_source {
    const uint8_t *at, *limit; /* what has come and was not taken */
    /* Gets more: waits for at least a byte behind `limit`, for which what was taken may be overwritten. A safepoint if
     * it waits. False: nothing more comes. NULL: likewise. */
    bool (*fetch)(struct hw_skyway_source *source);
};

/* Streams behind one another in memory, which is 8-byte aligned. */
struct hw_skyway_memory_sink {
    struct hw_skyway_sink sink;
    uint8_t *begun; /* of the stream under way */
};

void hw_skyway_memory_sink(struct hw_skyway_memory_sink *sink, void *memory, uint32_t bytes);
void hw_skyway_memory_source(struct hw_skyway_source *source, const void *memory, uint32_t bytes);

#endif
