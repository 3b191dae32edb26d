#include "codecs/cereal/class.h"
#include "codecs/cereal/read.h"

/* Where a header's sizes lie. */
#define SIZES 16

static struct cereal_read refuse(uint32_t offset)
{
    return (struct cereal_read){.status = HW_STATUS_BAD_STREAM, .offset = offset};
}

struct cereal_read cereal_check_header(const void *input, uint32_t length)
{
    const struct cereal_header *header = input;

    if (length < sizeof *header || header->magic != CEREAL_MAGIC || header->version != CEREAL_VERSION ||
        (header->flags & ~CEREAL_STRIP) != 0 || header->reserved != 0 || header->class_set != hw_cereal_set.fingerprint ||
        header->objects == 0)
        return refuse(0);
    if (header->graph < 16 || header->graph >= CEREAL_GRAPH_LIMIT || header->graph % HW_OBJECT_ALIGNMENT != 0)
        return refuse(SIZES);
    if ((header->values | header->references | header->layouts) % CEREAL_ALIGNMENT != 0)
        return refuse(SIZES);
    uint64_t bytes = (uint64_t)sizeof *header + header->values + header->references + header->layouts;

    if (bytes > length)
        return refuse(SIZES);
    return (struct cereal_read){.status = HW_STATUS_OK, .consumed = (uint32_t)bytes};
}

/* Every object has an item in the layouts and at most 16 bytes that are in no array, every reference a bucket. 8 bytes
 * an object more for what is written before something is found missing. */
uint32_t cereal_image_bytes(const struct cereal_header *header)
{
    uint64_t objects = header->objects < header->layouts ? header->objects : header->layouts;
    uint64_t most = (uint64_t)header->values + 4 * (uint64_t)header->references + 24 * objects;

    return most < header->graph ? (uint32_t)most & ~(uint32_t)(HW_OBJECT_ALIGNMENT - 1) : header->graph;
}
