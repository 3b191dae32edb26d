/* Sources and targets of object streams: memory, or another medium with its own functions.
 *
 * A stream is written and read as a whole, in memory that units can reach, 16-byte aligned, because its header contains
 * sizes that are known last. A medium other than memory therefore has a buffer. The functions below tell it when to
 * send or fill the buffer.
 */
#ifndef HW_CEREAL_STREAM_H
#define HW_CEREAL_STREAM_H

#include <stdbool.h>
#include <stdint.h>

struct hw_cereal_output {
    uint8_t *at;    /* where the next stream goes; 16-byte aligned, outside the managed heap */
    uint8_t *limit; /* where it must end */
    /* Called when the `bytes` bytes at `at`, a multiple of 16, are a stream. Keeps or sends the stream and sets `at`
     * and `limit` for the next one. May wait, and be a safepoint. Returns false if the stream could not be sent. */
    bool (*complete)(struct hw_cereal_output *output, uint32_t bytes);
};

struct hw_cereal_input {
    const uint8_t *at;    /* the next stream; 16-byte aligned, outside the managed heap */
    const uint8_t *limit; /* the end of what is available */
    /* Makes at least `bytes` bytes available from `at` on; may move what is available already. May wait, and be a
     * safepoint. Returns false if there will not be as many; the available bytes then stay. NULL: no more bytes will
     * come. */
    bool (*fetch)(struct hw_cereal_input *input, uint32_t bytes);
    /* Called when the first `bytes` bytes, a multiple of 16, have been read: moves `at` on. */
    void (*consume)(struct hw_cereal_input *input, uint32_t bytes);
};

/* Makes an output of consecutive streams in memory, from the first multiple of 16 on. */
void hw_cereal_output_open(struct hw_cereal_output *output, void *memory, uint32_t bytes);

/* Makes an input of consecutive streams in memory; `memory` must be 16-byte aligned. */
void hw_cereal_input_open(struct hw_cereal_input *input, const void *memory, uint32_t bytes);

#endif
