/* The stream's header (docs/reference/cereal.md). heapwire.h has the format's numbers. */
#ifndef HW_CEREAL_CODEC_FORMAT_H
#define HW_CEREAL_CODEC_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "heapwire.h"

struct cereal_header {
    uint32_t magic;
    uint8_t version, flags;
    uint16_t reserved;
    uint32_t class_set;
    uint32_t objects;
    uint32_t graph;
    uint32_t values, references, layouts; /* bytes of each section */
};

#define CEREAL_LIES(field, at) _Static_assert(offsetof(struct cereal_header, field) == (at), #field)
CEREAL_LIES(magic, HW_CEREAL_HEADER_MAGIC);
CEREAL_LIES(version, HW_CEREAL_HEADER_VERSION);
CEREAL_LIES(flags, HW_CEREAL_HEADER_FLAGS);
CEREAL_LIES(reserved, HW_CEREAL_HEADER_RESERVED);
CEREAL_LIES(class_set, HW_CEREAL_HEADER_CLASS_SET);
CEREAL_LIES(objects, HW_CEREAL_HEADER_OBJECTS);
CEREAL_LIES(graph, HW_CEREAL_HEADER_GRAPH);
CEREAL_LIES(values, HW_CEREAL_HEADER_VALUES);
CEREAL_LIES(references, HW_CEREAL_HEADER_REFERENCES);
CEREAL_LIES(layouts, HW_CEREAL_HEADER_LAYOUTS);
_Static_assert(sizeof(struct cereal_header) == HW_CEREAL_HEADER_SIZE, "header of a stream");
#undef CEREAL_LIES

static inline uint32_t cereal_round(uint32_t bytes) {
    return (bytes + (HW_CEREAL_ALIGNMENT - 1)) & ~(uint32_t)(HW_CEREAL_ALIGNMENT - 1);
}

#endif
