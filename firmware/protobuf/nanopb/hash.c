/* The open hash table over the field numbers of a type, which hw_type_find searches. */
#include <string.h>

#include "protobuf/nanopb/build.h"

/* A table has at most 2^GROWTH_LOG2 times the smallest power of two of slots that holds the fields. */
#define GROWTH_LOG2 2

static uint32_t log2_up(uint32_t number) {
    uint32_t log2 = 0;

    while (1u << log2 < number) log2++;
    return log2;
}

uint32_t hw_nanopb_hash_scratch(uint32_t fields) { return 1u << (log2_up(fields) + GROWTH_LOG2); }

/* Puts every number into the first free slot from its own slot on, and returns the longest probe. Stops as soon as the
 * probe exceeds `worst`. */
static uint32_t longest_probe(const pb_msgdesc_t *descriptor, uint32_t *slots, const struct hw_nanopb_hash *hash,
                              uint32_t worst) {
    uint32_t longest = 0;
    struct hw_nanopb_field field;

    memset(slots, 0, sizeof(uint32_t) * (hash->last_slot + 1));
    if (!hw_nanopb_first(&field, descriptor)) return 0;
    do {
        uint32_t number = field.iter.tag, distance = 0;
        uint32_t slot = hw_type_slot(number, hash->last_slot);
        for (; slots[slot]; slot = (slot + 1) & hash->last_slot) distance++;
        slots[slot] = number;
        if (distance > longest) longest = distance;
    } while (longest <= worst && hw_nanopb_next(&field));
    return longest;
}

struct hw_nanopb_hash hw_nanopb_hash(const pb_msgdesc_t *descriptor, uint32_t *scratch) {
    uint32_t smallest = log2_up(descriptor->field_count);
    struct hw_nanopb_hash best = {.max_probe = UINT32_MAX - 1};

    for (uint32_t log2 = smallest;
         log2 <= smallest + GROWTH_LOG2 && log2 <= HW_ADT_LAST_SLOT_WIDTH && best.max_probe != 0; log2++) {
        struct hw_nanopb_hash tried = {.last_slot = (1u << log2) - 1};
        tried.max_probe = longest_probe(descriptor, scratch, &tried, best.max_probe);
        if (tried.max_probe < best.max_probe) best = tried;
    }
    return best;
}
