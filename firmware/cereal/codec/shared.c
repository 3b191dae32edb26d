#include "cereal/codec/shared.h"

#include <string.h>

struct cereal_shared_entry *cereal_shared_entry(const struct cereal_shared *shared, hw_ref object) {
    uint32_t mask = shared->size - 1, at = (object / HW_OBJECT_ALIGNMENT ^ object >> 12) & mask;

    while (shared->entries[at].object != 0 && shared->entries[at].object != object) at = (at + 1) & mask;
    return &shared->entries[at];
}

void cereal_shared_grow(struct cereal_shared *shared, struct cereal_shared_entry *entries) {
    struct cereal_shared grown = {.entries = entries, .size = cereal_shared_next_size(shared), .count = shared->count};

    memset(entries, 0, grown.size * sizeof *entries);
    for (uint32_t i = 0; i < shared->size; i++)
        if (shared->entries[i].object) *cereal_shared_entry(&grown, shared->entries[i].object) = shared->entries[i];
    *shared = grown;
}
