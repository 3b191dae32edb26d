#include "protobuf/nanopb/nanopb.h"

#include <pb.h>
#include <string.h>

#define SMALLEST_BLOCK 8u

bool hw_nanopb_full;
static struct hw_arena none;
struct hw_arena *hw_nanopb_arena = &none;

void hw_nanopb_allocate_in(struct hw_arena *arena) { hw_nanopb_arena = arena ? arena : &none; }

static uint32_t *capacity_of(void *block) { return (uint32_t *)((char *)block - HW_NANOPB_BLOCK_HEADER); }

/* Returns the smallest power of two of at least `size` and SMALLEST_BLOCK. */
static uint32_t capacity_for(size_t size) {
    uint32_t capacity = SMALLEST_BLOCK;

    while (capacity < size) capacity *= 2;
    return capacity;
}

/* nanopb's allocator. A block that moves gets a power of two as its capacity, so that lists, which nanopb grows by one
 * element at a time, rarely move. */
void *nanopb_realloc(void *block, size_t size) {
    if (block && size <= *capacity_of(block)) return block;
    if (size > UINT32_MAX / 4) return NULL;
    /* A first request gets its exact size: strings and structs never grow. */
    uint32_t capacity = block ? capacity_for(size) : (uint32_t)hw_object_round((uint32_t)size);
    hw_ref taken = hw_arena_take(hw_nanopb_arena, HW_NANOPB_BLOCK_HEADER + capacity);

    if (!taken) {
        if (hw_nanopb_arena != &none) hw_nanopb_full = true;
        return NULL;
    }
    void *moved = hw_pointer(taken + HW_NANOPB_BLOCK_HEADER);
    *capacity_of(moved) = capacity;
    if (block) memcpy(moved, block, *capacity_of(block));
    return moved;
}

void nanopb_free(void *block) { (void)block; }
