/* The stream of a buffer (docs/skyway.md, "Stream"). */
#ifndef HW_SKYWAY_FORMAT_H
#define HW_SKYWAY_FORMAT_H

#include <stdint.h>

#include "runtime/object.h"

#define SKYWAY_MAGIC 0x57594b53u   /* "SKYW" */
#define SKYWAY_SEGMENT 0x4d474553u /* "SEGM" */
#define SKYWAY_DONE 0x454e4f44u    /* "DONE" */
#define SKYWAY_VERSION 1

/* The first object's relative address: 0 is null. */
#define SKYWAY_FIRST 16u
/* Relative addresses are below this. */
#define SKYWAY_LIMIT (1u << 31)

/* A mark: the identity hash above these bits, which are 1. */
#define SKYWAY_MARK_MASK 0x7fu

/* How a receiver lays objects out. */
struct hw_skyway_layout {
    uint8_t fields;    /* offset of an instance's first field: 8, or 16 with serialization metadata */
    uint8_t elements;  /* offset of an array's first element: 16, or 24 */
    uint8_t alignment; /* of objects: 8 or 16 */
};

/* Of classes with serialization metadata, of those without, in this runtime. */
#define HW_SKYWAY_LAYOUT_METADATA \
    ((struct hw_skyway_layout){HW_OBJECT_METADATA_INSTANCE + HW_OBJECT_METADATA_SIZE, HW_OBJECT_METADATA_ARRAY_ELEMENTS, HW_OBJECT_ALIGNMENT})
#define HW_SKYWAY_LAYOUT_PLAIN ((struct hw_skyway_layout){HW_OBJECT_HEADER_SIZE, HW_OBJECT_ARRAY_ELEMENTS, HW_OBJECT_ALIGNMENT})

struct skyway_header {
    uint32_t magic;
    uint8_t version;
    struct hw_skyway_layout layout;
    uint32_t registry;
    uint32_t sender;
    uint32_t phase;
    uint32_t stream;
    uint32_t reserved[2];
};

_Static_assert(sizeof(struct skyway_header) == 32, "header of a stream");

struct skyway_segment {
    uint32_t magic; /* SKYWAY_SEGMENT; SKYWAY_DONE at the end */
    uint32_t base;  /* relative address of its first object; at the end: the address behind the last */
    uint32_t bytes; /* of objects; at the end: tops of the whole stream */
    uint32_t tops;  /* words behind them; at the end: the highest type id of the stream */
};

_Static_assert(sizeof(struct skyway_segment) == 16, "header of a segment");

/* Bytes of a segment's tops, padded. */
static inline uint32_t skyway_tops_bytes(uint32_t tops)
{
    return (tops + 1) / 2 * 8;
}

#endif
