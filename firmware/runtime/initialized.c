#include "runtime/message.h"

#include <string.h>

#include "runtime/registers.h"

bool hw_message_has_required(const void *message, const struct hw_type *type) {
    const uint32_t *words = (const uint32_t *)((const char *)message + HW_GET(type, ADT_HASBITS_OFFSET));
    uint32_t left = HW_GET(type, ADT_REQUIRED_COUNT);

    for (; left >= 32; left -= 32)
        if (*words++ != UINT32_MAX) return false;
    return left == 0 || (~*words & (UINT32_MAX >> (32 - left))) == 0;
}

/* Returns the messages of a field as a list. The list of a singular field lies in `*single`. */
static struct hw_list messages_of(const struct hw_message *message, const struct hw_field *field, hw_ref *single) {
    if (HW_GET(field, ENTRY_REPEATED)) return hw_message_list(message, field);
    *single = *(const hw_ref *)hw_message_slot(message, field);
    if (HW_GET(field, ENTRY_IN_ONEOF) &&
        *(const uint32_t *)((const char *)message + HW_GET(field, ENTRY_CASE_OFFSET)) != HW_GET(field, ENTRY_KEY) >> 3)
        *single = 0;
    return (struct hw_list){.elements = single, .count = *single != 0};
}

static int compare_keys(hw_ref a, hw_ref b, const struct hw_field *key) {
    const void *first = hw_message_slot(hw_pointer(a), key), *second = hw_message_slot(hw_pointer(b), key);

    if (HW_GET(key, ENTRY_TYPE) != HW_TYPE_STRING)
        return memcmp(first, second, 1u << hw_value_shift(HW_GET(key, ENTRY_TYPE)));
    struct hw_bytes one = hw_byte_string_bytes(*(const hw_ref *)first),
                    other = hw_byte_string_bytes(*(const hw_ref *)second);
    uint32_t shorter = one.length < other.length ? one.length : other.length;
    int order = shorter != 0 ? memcmp(one.data, other.data, shorter) : 0;

    return order != 0 ? order : (one.length > other.length) - (one.length < other.length);
}

/* Returns the link to the next entry of a chain. The chain has no memory of its own: the link takes the place of the
 * entry's mark word. */
static uint32_t *link_of(hw_ref entry) { return &((struct hw_object *)hw_pointer(entry))->mark; }

/* Merges two chains that are sorted by key. Of entries with equal keys, those of `first` come first. */
static hw_ref merge(hw_ref first, hw_ref second, const struct hw_field *key) {
    hw_ref head = 0;
    uint32_t *link = &head;

    while (first != 0 && second != 0) {
        hw_ref *least = compare_keys(first, second, key) <= 0 ? &first : &second;

        *link = *least;
        link = link_of(*least);
        *least = *link;
    }
    *link = first != 0 ? first : second;
    return head;
}

/* Returns the entries of a map as a chain sorted by key. Entries with equal keys keep the order of the list. */
static __attribute__((noinline)) hw_ref sort(struct hw_list list, const struct hw_field *key) {
    /* chains[i] is empty or has 2^i entries, which precede those of chains[0..i-1] in the list */
    hw_ref chains[32] = {0}, chain = 0;
    uint32_t i;

    for (uint32_t next = 0; next < list.count; next++) {
        chain = ((const hw_ref *)list.elements)[next];
        *link_of(chain) = 0;
        for (i = 0; chains[i] != 0; i++) {
            chain = merge(chains[i], chain, key);
            chains[i] = 0;
        }
        chains[i] = chain;
    }
    chain = 0;
    for (i = 0; i < 32; i++) chain = merge(chains[i], chain, key);
    return chain;
}

/* Returns whether the entries of a map are complete. An entry does not count if a later one has the same key. Restores
 * all mark words. */
static bool map_initialized(struct hw_list list, const struct hw_type *type, uint32_t depth) {
    const struct hw_field *key = hw_type_find(type, 1);
    bool complete = true;
    hw_ref next;

    for (hw_ref entry = sort(list, key); entry != 0; entry = next) {
        next = *link_of(entry);
        *link_of(entry) = hw_registers[HW_REG_MARK_PROTOTYPE];
        if (complete && (next == 0 || compare_keys(entry, next, key) != 0))
            complete = hw_message_initialized(hw_pointer(entry), type, depth);
    }
    return complete;
}

static bool list_initialized(struct hw_list list, const struct hw_type *type, uint32_t depth) {
    if (HW_GET(type, ADT_MAP_ENTRY)) return map_initialized(list, type, depth);
    for (uint32_t i = 0; i < list.count; i++)
        if (!hw_message_initialized(hw_pointer(((const hw_ref *)list.elements)[i]), type, depth)) return false;
    return true;
}

bool hw_message_initialized(struct hw_message *message, const struct hw_type *type, uint32_t depth) {
    const struct hw_field *field = hw_type_ordered(type), *end = field + HW_GET(type, ADT_FIELD_COUNT);
    hw_ref single;

    if (!HW_GET(type, ADT_HAS_REQUIRED)) return true;
    if (!hw_message_has_required(message, type)) return false;
    for (; field < end; field++) {
        uint32_t kind = HW_GET(field, ENTRY_TYPE);
        if (kind != HW_TYPE_MESSAGE && kind != HW_TYPE_GROUP) continue;
        const struct hw_type *sub = hw_field_type(type, field);
        struct hw_list list =
            HW_GET(sub, ADT_HAS_REQUIRED) ? messages_of(message, field, &single) : (struct hw_list){0};

        if (list.count != 0 && (depth == 0 || !list_initialized(list, sub, depth - 1))) return false;
    }
    return true;
}
