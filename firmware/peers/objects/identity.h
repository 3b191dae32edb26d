/* Which objects have been written, and under what number: an open-addressing table on addresses.
 *
 * Numbers count on from one serialization to the next: an entry whose number is from before the current one is free, so that
 * nothing is cleared between them. The table begins small, to stay in the cache, and doubles when it is half
 * full, to the other end of its memory. Objects must not move while it is in use.
 */
#ifndef HW_PEERS_OBJECTS_IDENTITY_H
#define HW_PEERS_OBJECTS_IDENTITY_H

#include <stdbool.h>

#include "peers/objects/result.h"
#include "runtime/object.h"

struct identity_entry {
    hw_ref object;
    uint32_t number;
};

struct identity {
    struct identity_entry *entries;
    uint32_t mask;        /* entries - 1 */
    uint32_t base, next;  /* numbers of this serialization: [base, next) */
    uint32_t used, limit; /* entries in use, and at most before it grows */
    uint8_t *memory;
    uint32_t bytes;
    bool high;            /* the table lies at the memory's end */
};

/* False: the memory is too small. */
bool identity_init(struct identity *identity, void *memory, uint32_t bytes);

/* Forgets all objects. True if numbers begin anew: what else keeps numbers must be cleared. */
bool identity_begin(struct identity *identity);

static inline bool identity_current(const struct identity *identity, uint32_t number)
{
    return number - identity->base < identity->next - identity->base;
}

/* The object's entry, or the free one where it belongs. Addresses follow one another as objects were made: their order is kept,
 * which the cache likes better than scattering. */
static inline struct identity_entry *identity_find(const struct identity *identity, hw_ref object)
{
    struct identity_entry *entries = identity->entries;
    uint32_t mask = identity->mask, base = identity->base, span = identity->next - base;

    for (uint32_t i = object / HW_OBJECT_ALIGNMENT ^ object >> 15;; i++) {
        struct identity_entry *entry = &entries[i & mask];

        if (LIKELY(entry->number - base >= span) || entry->object == object)
            return entry;
    }
}

bool identity_grow(struct identity *identity);

/* Gives the object the next number; `entry` is the free one that identity_find answered, no object having been added since.
 * False: no room for more objects. */
static inline bool identity_add(struct identity *identity, struct identity_entry *entry, hw_ref object)
{
    entry->object = object;
    entry->number = identity->next++;
    return LIKELY(++identity->used < identity->limit) || identity_grow(identity);
}

#endif
