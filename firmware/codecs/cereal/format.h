/* The stream's header (docs/cereal.md). */
#ifndef HW_CODECS_CEREAL_FORMAT_H
#define HW_CODECS_CEREAL_FORMAT_H

#include <stdbool.h>
#include <stdint.h>

#define CEREAL_MAGIC 0x4c524543u
#define CEREAL_VERSION 1
#define CEREAL_STRIP 1 /* flag: no marks */
#define CEREAL_ALIGNMENT 16
#define CEREAL_GRAPH_LIMIT (1u << 29)

/* A mark of a stream: the hash above these bits, which are 1. */
#define CEREAL_MARK_MASK 0x7fu

struct cereal_header {
    uint32_t magic;
    uint8_t version, flags;
    uint16_t reserved;
    uint32_t class_set;
    uint32_t objects;
    uint32_t graph;
    uint32_t values, references, layouts; /* bytes of the sections */
};

_Static_assert(sizeof(struct cereal_header) == 32, "header of a stream");

static inline uint32_t cereal_round(uint32_t bytes)
{
    return (bytes + (CEREAL_ALIGNMENT - 1)) & ~(uint32_t)(CEREAL_ALIGNMENT - 1);
}

#endif
