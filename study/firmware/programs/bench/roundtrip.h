/* The group `roundtrip` of suite `core`: what a message costs a program that receives it, reads it, looks at ten of its
 * fields, changes three and writes it. Each engine does the same to MediaContent, with its own accessors:
 *
 *   - It looks at: the number of images; of the media uri, width, format, duration, bitrate, player and the second
 *     person; of the last image uri and width, or without images height and size of the media.
 *   - It changes: the media's bitrate, to the sum of what it has seen; its copyright; the height of the last image, or
 *     without images that of the media.
 *
 * Of a string it sees the first byte and the length. So what was seen is in the bytes that are written, which the host
 * compares. */
#ifndef HW_PROGRAMS_BENCH_ROUNDTRIP_H
#define HW_PROGRAMS_BENCH_ROUNDTRIP_H

#include <string.h>

#include "programs/bench/row.h"
#include "runtime/message.h"

#define ROUNDTRIP_INPUTS 8
#define ROUNDTRIP_WARM ROUNDTRIP_INPUTS
#define ROUNDTRIP_ROOM 512 /* bytes of an input or output */
#define ROUNDTRIP_COPYRIGHT "fifteen letters"
#define ROUNDTRIP_HEIGHT 481

struct roundtrip {
    const char *name;
    const struct hw_type *type;
    const void *data;
    uint32_t length;
};

extern uint8_t roundtrip_inputs[ROUNDTRIP_INPUTS][ROUNDTRIP_ROOM], roundtrip_output[ROUNDTRIP_ROOM];

/* Copies the message into the next of several buffers, as whatever receives messages fills one while the program works
 * on another. Every engine pays for it: what it reads was just stored, and is in no data cache. */
static inline const uint8_t *roundtrip_receive(const struct roundtrip *message) {
    static uint32_t next;

    return memcpy(roundtrip_inputs[next++ % ROUNDTRIP_INPUTS], message->data, message->length);
}

static inline uint32_t roundtrip_seen(const char *text, uint32_t length) { return (uint8_t)text[0] + length; }

/* Returns a bitrate. */
static inline int32_t roundtrip_bitrate(uint32_t sum) { return (int32_t)(sum & INT32_MAX); }

/* Prints a row. `written`: the last round's bytes, without data if a round has failed. */
void roundtrip_report(const struct roundtrip *message, struct row row, struct timing timing, struct hw_bytes written);

void roundtrip_upb(const struct roundtrip *message);
void roundtrip_nanopb(const struct roundtrip *message);

#endif
