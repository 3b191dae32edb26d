/* Objects that another open serialization has claimed. This serialization keeps the relative addresses that it gave
 * them in a table of its own (Cereal, section V-E).
 *
 * The table lies at the end of the work area. To grow, it moves to a new table below; the memory of the old one is
 * given up.
 */
#ifndef HW_CEREAL_CODEC_SHARED_H
#define HW_CEREAL_CODEC_SHARED_H

#include <stdbool.h>

#include "runtime/object.h"

struct cereal_shared_entry {
    hw_ref object; /* 0: a free entry */
    uint32_t relative;
};

struct cereal_shared {
    struct cereal_shared_entry *entries; /* their number is a power of two */
    uint32_t size;                       /* 0: no table */
    uint32_t count;
};

#define CEREAL_SHARED_FIRST 16

static inline bool cereal_shared_full(const struct cereal_shared *shared) { return 2 * shared->count >= shared->size; }

static inline uint32_t cereal_shared_next_size(const struct cereal_shared *shared) {
    return shared->size ? 2 * shared->size : CEREAL_SHARED_FIRST;
}

/* Moves the table to `entries`, which has cereal_shared_next_size entries. */
void cereal_shared_grow(struct cereal_shared *shared, struct cereal_shared_entry *entries);

/* Returns the entry of the object, or the free one where it belongs. There must be a table. */
struct cereal_shared_entry *cereal_shared_entry(const struct cereal_shared *shared, hw_ref object);

#endif
