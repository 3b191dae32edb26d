/* The heap's spaces and tables. Only for the collector's files. */
#ifndef HW_RUNTIME_HEAP_SPACE_H
#define HW_RUNTIME_HEAP_SPACE_H

#include "runtime/heap/heap.h"

/* Mark bits and object starts count in granules, whose size is the alignment of objects. */
#define HW_GRANULE_SHIFT 3
_Static_assert(1 << HW_GRANULE_SHIFT == HW_OBJECT_ALIGNMENT, "granule");

/* An arena of a unit in eden has at most this fraction of eden (1 / HW_EDEN_SHARE). */
#define HW_EDEN_SHARE 4

struct hw_space {
    struct hw_heap_options options; /* with every default filled in */
    struct hw_arena old, eden, survivor[2], large;
    uint32_t from;   /* the survivor space that holds objects */
    uint32_t base;   /* of the range that collections cover: old.base to large.limit */
    uint32_t young;  /* eden.base; the survivor spaces follow */
    uint32_t limit;  /* large.limit */
    uint8_t *cards;  /* one byte a card from `base` on (card.h) */
    uint8_t *starts; /* one byte a card: where its first object starts */
    uint32_t *marks; /* one bit a granule; all clear between collections */
    uint32_t *ranks; /* one word for each word of `marks`: the number of granules marked before it */
    hw_ref *stack;   /* mark stack: objects that are marked but not yet scanned */
    uint32_t stack_size;
    struct hw_region *regions;         /* of the large space (large.h) */
    uint32_t region_count, region_log; /* region_log: log2 of options.region_bytes */
};

extern struct hw_space hw_space;

static inline uint32_t hw_eden_share(void) { return hw_space.options.eden_bytes / HW_EDEN_SHARE; }

static inline bool hw_in_heap(hw_ref reference) { return reference - hw_space.base < hw_space.limit - hw_space.base; }

static inline bool hw_in_young(hw_ref reference) {
    return reference - hw_space.young < hw_space.large.base - hw_space.young;
}

static inline uint32_t hw_granule(hw_ref reference) { return (reference - hw_space.base) >> HW_GRANULE_SHIFT; }

static inline uint32_t hw_arena_free(const struct hw_arena *arena) { return arena->limit - arena->top; }

#endif
