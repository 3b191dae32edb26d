#include "cereal/codec/class.h"
#include "cereal/codec/read.h"

static struct cereal_read refuse(uint32_t offset) {
    return (struct cereal_read){.status = HW_STATUS_BAD_STREAM, .offset = offset};
}

struct cereal_read cereal_check_header(const void *input, uint32_t length) {
    const struct cereal_header *header = input;

    if (length < sizeof *header || header->magic != HW_CEREAL_MAGIC || header->version != HW_CEREAL_VERSION ||
        (header->flags & ~HW_CEREAL_FLAG_STRIP) != 0 || header->reserved != 0 ||
        header->class_set != hw_cereal_set.fingerprint || header->objects == 0)
        return refuse(0);
    if (header->graph < HW_CEREAL_GRAPH_LEAST || header->graph >= HW_CEREAL_GRAPH_LIMIT ||
        header->graph % HW_CEREAL_GRANULE != 0)
        return refuse(HW_CEREAL_HEADER_GRAPH);
    if ((header->values | header->references | header->layouts) % HW_CEREAL_ALIGNMENT != 0)
        return refuse(HW_CEREAL_HEADER_GRAPH);
    uint64_t bytes = (uint64_t)sizeof *header + header->values + header->references + header->layouts;

    if (bytes > length) return refuse(HW_CEREAL_HEADER_GRAPH);
    return (struct cereal_read){.status = HW_STATUS_OK, .consumed = (uint32_t)bytes};
}

/* An upper bound of the image: every object has an item in the layouts and at most 16 bytes that are in no section, and
 * every reference a bucket. 8 bytes more per object are for what the reader writes before it finds that something is
 * missing. */
uint32_t cereal_image_bytes(const struct cereal_header *header) {
    uint64_t objects = header->objects < header->layouts ? header->objects : header->layouts;
    uint64_t most = (uint64_t)header->values + 4 * (uint64_t)header->references + 24 * objects;

    return most < header->graph ? (uint32_t)most & ~(uint32_t)(HW_OBJECT_ALIGNMENT - 1) : header->graph;
}
