/* The objects that have been written, with their numbers: an open-addressing table over addresses.
 *
 * Numbers continue from one serialization to the next. An entry whose number precedes the current serialization is
 * free, so nothing has to be cleared in between. The table begins small, to stay in the cache. When it is half full it
 * doubles and moves to the other end of its memory. Objects must not move while it is in use.
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
    uint32_t mask;        /* number of entries - 1 */
    uint32_t base, next;  /* this serialization's numbers are [base, next) */
    uint32_t used, limit; /* entries in use, and their limit before the table grows */
    uint8_t *memory;
    uint32_t bytes;
    bool high; /* the table lies at the memory's end */
};

/* Returns false if the memory is too small. */
bool identity_init(struct identity *identity, void *memory, uint32_t bytes);

/* Forgets all objects. Returns true if numbers start over: then the caller must clear other copies of numbers. */
bool identity_begin(struct identity *identity);

static inline bool identity_current(const struct identity *identity, uint32_t number) {
    return number - identity->base < identity->next - identity->base;
}

/* Returns the object's entry, or the free entry where it belongs. Objects that were made one after the other have
 * consecutive addresses. The hash keeps this order, which suits the cache better than scattering. */
static inline struct identity_entry *identity_find(const struct identity *identity, hw_ref object) {
    struct identity_entry *entries = identity->entries;
    uint32_t mask = identity->mask, base = identity->base, span = identity->next - base;

    for (uint32_t i = object / HW_OBJECT_ALIGNMENT ^ object >> 15;; i++) {
        struct identity_entry *entry = &entries[i & mask];

        if (LIKELY(entry->number - base >= span) || entry->object == object) return entry;
    }
}

bool identity_grow(struct identity *identity);

/* Gives the object the next number. `entry` is the free entry that identity_find returned; no object may have been
 * added since. Returns false if there is no room for more objects. */
static inline bool identity_add(struct identity *identity, struct identity_entry *entry, hw_ref object) {
    entry->object = object;
    entry->number = identity->next++;
    return LIKELY(++identity->used < identity->limit) || identity_grow(identity);
}

#endif
