/* The format of a stream's buffer (docs/reference/skyway.md, "Stream"). */
#ifndef HW_SKYWAY_FORMAT_H
#define HW_SKYWAY_FORMAT_H

#include <stdint.h>

#include "skyway/heap.h"

#define SKYWAY_MAGIC 0x57594b53u   /* "SKYW" */
#define SKYWAY_SEGMENT 0x4d474553u /* "SEGM" */
#define SKYWAY_DONE 0x454e4f44u    /* "DONE" */
#define SKYWAY_VERSION 1

/* Relative address of the first object. 0 is null. */
#define SKYWAY_FIRST 16u
/* Relative addresses are below this. */
#define SKYWAY_LIMIT (1u << 31)

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

struct skyway_segment {
    uint32_t magic; /* SKYWAY_SEGMENT; SKYWAY_DONE at the end */
    uint32_t base;  /* relative address of its first object; at the end: the address behind the last object */
    uint32_t bytes; /* bytes of objects; at the end: the number of tops of the whole stream */
    /* number of tops behind the objects, one word each; at the end: the highest type id of the stream */
    uint32_t tops;
};

_Static_assert(sizeof(struct skyway_segment) == 16, "header of a segment");

/* Returns the bytes of a segment's tops, padding included. */
static inline uint32_t skyway_tops_bytes(uint32_t tops) { return (tops + 1) / 2 * 8; }

#endif
