#include "peers/objects/identity.h"

#include <string.h>

#define FIRST_ENTRIES 256u
#define LAST_NUMBER 0xf0000000u

static void use(struct identity *identity, struct identity_entry *entries, uint32_t count) {
    memset(entries, 0, count * sizeof *entries);
    identity->entries = entries;
    identity->mask = count - 1;
    identity->limit = count / 2;
}

bool identity_init(struct identity *identity, void *memory, uint32_t bytes) {
    if (bytes < FIRST_ENTRIES * sizeof(struct identity_entry)) return false;
    *identity = (struct identity){.base = 1, .next = 1, .memory = memory, .bytes = bytes & ~7u};
    use(identity, memory, FIRST_ENTRIES);
    return true;
}

bool identity_begin(struct identity *identity) {
    identity->used = 0;
    identity->base = identity->next;
    if (LIKELY(identity->base < LAST_NUMBER)) return false;
    identity->base = identity->next = 1;
    memset(identity->entries, 0, (identity->mask + 1) * sizeof *identity->entries);
    return true;
}

bool identity_grow(struct identity *identity) {
    struct identity_entry *old = identity->entries;
    uint32_t count = identity->mask + 1, bytes = count * (uint32_t)sizeof *old;

    if (identity->bytes / 3 < bytes) return false;
    identity->high = !identity->high;
    use(identity,
        (struct identity_entry *)(void *)(identity->memory + (identity->high ? identity->bytes - 2 * bytes : 0)),
        2 * count);
    for (uint32_t i = 0; i < count; i++)
        if (identity_current(identity, old[i].number)) *identity_find(identity, old[i].object) = old[i];
    return true;
}
