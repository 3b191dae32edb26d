#include "codecs/nanopb/nanopb.h"

#include <pb_decode.h>
#include <pb_encode.h>
#include <string.h>

/* Before each block: the bytes it has room for. */
#define BLOCK_HEADER HW_OBJECT_ALIGNMENT
#define SMALLEST_BLOCK 8u

static struct hw_arena *allocating;

static uint32_t *capacity_of(void *block)
{
    return (uint32_t *)((char *)block - BLOCK_HEADER);
}

/* Room for `size` bytes and, for small blocks, for growth. */
static uint32_t capacity_for(size_t size)
{
    uint32_t capacity = SMALLEST_BLOCK;

    while (capacity < size)
        capacity *= 2;
    return capacity;
}

/* What nanopb allocates with. A block that has moved once has room for the next power of two, so
 * that lists, which nanopb grows by one element at a time, rarely move. */
void *nanopb_realloc(void *block, size_t size)
{
    if (block && size <= *capacity_of(block))
        return block;
    if (size > UINT32_MAX / 4)
        return NULL;
    /* A first request is exact: strings and structs never grow. */
    uint32_t capacity = block ? capacity_for(size) : (uint32_t)hw_object_round((uint32_t)size);
    hw_ref taken = hw_arena_take(allocating, BLOCK_HEADER + capacity);

    if (!taken)
        return NULL;
    void *moved = hw_pointer(taken + BLOCK_HEADER);
    *capacity_of(moved) = capacity;
    if (block)
        memcpy(moved, block, *capacity_of(block));
    return moved;
}

void nanopb_free(void *block)
{
    (void)block;
}

const struct nanopb_type *nanopb_find(const char *full_name)
{
    for (unsigned i = 0; i < nanopb_type_count; i++)
        if (strcmp(nanopb_types[i].name, full_name) == 0)
            return &nanopb_types[i];
    return NULL;
}

void *nanopb_decode(const struct nanopb_type *type, const void *input, uint32_t length, struct hw_arena *arena,
                    const char **error)
{
    pb_istream_t stream = pb_istream_from_buffer(input, length);
    hw_ref taken = hw_arena_take(arena, type->size);

    if (!taken) {
        *error = "no room for the struct";
        return NULL;
    }
    allocating = arena;
    if (pb_decode(&stream, type->fields, hw_pointer(taken)))
        return hw_pointer(taken);
    *error = PB_GET_ERROR(&stream);
    return NULL;
}

uint32_t nanopb_encode(const struct nanopb_type *type, const void *message, void *output, uint32_t capacity, bool *ok)
{
    pb_ostream_t stream = pb_ostream_from_buffer(output, capacity);

    *ok = pb_encode(&stream, type->fields, message);
    return *ok ? (uint32_t)stream.bytes_written : 0;
}
