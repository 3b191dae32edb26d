/* Where streams of objects come from and go to: memory here, another medium by functions of its own.
 *
 * A stream is written and read whole, in memory that units can reach, 16-byte aligned: its header tells sizes that are
 * known last. So a medium that is no memory has a buffer, and the functions say when it is to be sent, or filled.
 */
#ifndef HW_CEREAL_STREAM_H
#define HW_CEREAL_STREAM_H

#include <stdbool.h>
#include <stdint.h>

struct hw_cereal_output {
    uint8_t *at;    /* the next stream goes here; 16-byte aligned, outside the managed heap */
    uint8_t *limit; /* and must end here */
    /* `bytes` bytes at `at`, a multiple of 16, are a stream: keeps or sends them, and leaves `at` and `limit` ready for
     * the next one. May wait, and be a safepoint. False: they could not be sent. */
    bool (*complete)(struct hw_cereal_output *output, uint32_t bytes);
};

struct hw_cereal_input {
    const uint8_t *at;    /* the next stream; 16-byte aligned, outside the managed heap */
    const uint8_t *limit; /* so much of it is there */
    /* At least `bytes` bytes from `at` are wanted: gets what is missing, for which what is there may be moved. May
     * wait, and be a safepoint. False: there will not be so many; what is there is left there. NULL: there are no more
     * than are there. */
    bool (*fetch)(struct hw_cereal_input *input, uint32_t bytes);
    /* The first `bytes` bytes, a multiple of 16, have been read: `at` moves on. */
    void (*consume)(struct hw_cereal_input *input, uint32_t bytes);
};

/* Streams one behind the other in memory, from the first multiple of 16 on. */
void hw_cereal_output_memory(struct hw_cereal_output *output, void *memory, uint32_t bytes);

/* The same read; `memory` must be 16-byte aligned. */
void hw_cereal_input_memory(struct hw_cereal_input *input, const void *memory, uint32_t bytes);

#endif
