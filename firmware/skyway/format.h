/* The format of a stream's buffer (docs/reference/skyway.md, "Stream"). */
#ifndef HW_SKYWAY_FORMAT_H
#define HW_SKYWAY_FORMAT_H

#include <stdint.h>

#include "records/skyway.h"
#include "skyway/heap.h"

/* A mark word has the identity hash above these bits. In them it is an unlocked object of age 0. */
#define SKYWAY_MARK_MASK 0x7fu

struct skyway_header {
    uint32_t magic;
    uint8_t version;
    struct hw_skyway_layout layout;
    uint32_t registry;
    uint32_t sender;
    uint32_t phase;
    uint32_t stream;
    uint32_t words[2]; /* a struct hw_skyway_words of the receiver; both 0: this runtime's words */
};

_Static_assert(sizeof(struct skyway_header) == 32, "header of a stream");
_Static_assert(sizeof(struct hw_skyway_words) == 8, "words of a heap");

/* Returns the bytes of a segment's tops, padding included. */
static inline uint32_t skyway_tops_bytes(uint32_t tops) { return (tops + 1) / 2 * 8; }

#endif
