/* Objects that another open serialization holds: the relative addresses that this one gave them, in a
 * table of its own (Cereal, section V-E).
 *
 * The table lies at the end of the work area and grows by a new one below the old one, whose memory is given up.
 */
#ifndef HW_CEREAL_CODEC_SHARED_H
#define HW_CEREAL_CODEC_SHARED_H

#include <stdbool.h>

#include "runtime/object.h"

struct cereal_shared_entry {
    hw_ref object; /* 0: none */
    uint32_t relative;
};

struct cereal_shared {
    struct cereal_shared_entry *entries; /* a power of two of them */
    uint32_t size;                       /* 0: no table */
    uint32_t count;
};

#define CEREAL_SHARED_FIRST 16

static inline bool cereal_shared_full(const struct cereal_shared *shared)
{
    return 2 * shared->count >= shared->size;
}

static inline uint32_t cereal_shared_next_size(const struct cereal_shared *shared)
{
    return shared->size ? 2 * shared->size : CEREAL_SHARED_FIRST;
}

/* Moves what is in the table to `entries`, memory for cereal_shared_next_size. */
void cereal_shared_grow(struct cereal_shared *shared, struct cereal_shared_entry *entries);

/* The entry of the object, or the free one where it belongs. Wants a table. */
struct cereal_shared_entry *cereal_shared_entry(const struct cereal_shared *shared, hw_ref object);

#endif
