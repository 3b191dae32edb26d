/* Finds the entries of maps by key: from the end of the list, or, if the list is long, by an index beside it.
 *
 * An index is a table of positions, hashed by key. It is an array in eden to which nothing refers, so it ends with the
 * next collection. It is made when a list is asked a second time. A new key is entered, every other change drops it.
 */
#include "runtime/accessors/find.h"

#include "runtime/accessors/fresh.h"

/* The most places of an index that are looked at for a key. More means that keys were chosen to have equal hashes. */
#define MOST_PLACES 256u

struct map_index {
    const char *entries; /* the list's elements; NULL: none */
    uint32_t count;      /* of these */
    uint32_t moves;      /* the heap's, when the index was made */
    uint32_t *positions; /* of entries, plus 1; 0: free. NULL: no table */
    uint32_t shift;      /* 32 - log2 of the table's length */
    bool useless;        /* there will be no table */
};

static struct map_index indexes[4];

static struct map_index *index_of(struct hw_values entries) {
    return &indexes[(uintptr_t)entries.at / 16 % (sizeof indexes / sizeof *indexes)];
}

static bool current(const struct map_index *index, struct hw_values entries) {
    return index->entries == entries.at && index->count == entries.count && index->moves == hw_heap_moves;
}

static uint32_t hash_of(const struct hw_map_key *key) {
    uint32_t hash = (uint32_t)key->bits ^ (uint32_t)(key->bits >> 32);

    for (uint32_t i = 0; i < key->bytes.length; i++) hash = (hash ^ key->bytes.data[i]) * 16777619u;
    return hash * 2654435769u;
}

/* Returns the place of the table where the key is or may be entered; NULL if that takes too long. */
static uint32_t *place_of(const struct map_index *index, struct hw_values entries, const struct hw_field_info *field,
                          const struct hw_map_key *key) {
    uint32_t mask = UINT32_MAX >> index->shift, at = hash_of(key) >> index->shift;

    for (uint32_t i = 0; i < MOST_PLACES; i++, at = (at + 1) & mask) {
        uint32_t *place = &index->positions[at];
        if (*place == 0) return place;
        struct hw_map_key other = hw_entry_key(hw_entry_at(entries, *place - 1), field);
        if (hw_keys_equal(key, &other)) return place;
    }
    return NULL;
}

/* Enters the list's entry `at`, or gives the table up. */
static void enter(struct map_index *index, struct hw_values entries, const struct hw_field_info *field,
                  const struct hw_map_key *key, uint32_t at) {
    uint32_t *place = place_of(index, entries, field, key);

    if (place) {
        *place = at + 1;
    } else {
        index->useless = true;
        index->positions = NULL;
    }
}

/* Makes the table, for as many entries as the list's array has room for. No safepoint, so there may be no memory. */
static COLD_CALL void fill(struct map_index *index, struct hw_values entries, const struct hw_field_info *field) {
    uint32_t room = hw_array_length(hw_reference(entries.at) - HW_OBJECT_ARRAY_ELEMENTS), log = 6;

    while (log < 26 && 1u << log < room + room / 2) log++;
    uint32_t bytes = sizeof(struct hw_array) + (sizeof(uint32_t) << log);
    struct hw_array *array = 1u << log > entries.count ? hw_pointer(hw_eden_try(bytes)) : NULL;

    if (!array) return;
    memset(array, 0, bytes);
    array->header = (struct hw_object){HW_OBJECT_MARK_UNLOCKED, hw_registers[HW_REG_KLASS_INT_ARRAY]};
    array->length = 1u << log;
    index->positions = (uint32_t *)(void *)array->elements;
    index->shift = 32 - log;
    for (uint32_t i = 0; i < entries.count && index->positions; i++) {
        struct hw_map_key key = hw_entry_key(hw_entry_at(entries, i), field);
        enter(index, entries, field, &key, i);
    }
}

/* Returns the index of a long list, as it is now. */
static struct map_index asked(struct hw_values entries, const struct hw_field_info *field) {
    struct map_index *shared = index_of(entries), index;

    hw_critical_enter();
    index = *shared;
    hw_critical_leave();
    if (LIKELY(current(&index, entries) && (index.positions || index.useless))) return index;
    if (current(&index, entries))
        fill(&index, entries, field);
    else
        index = (struct map_index){.entries = entries.at, .count = entries.count, .moves = hw_heap_moves};
    hw_critical_enter();
    *shared = index;
    hw_critical_leave();
    return index;
}

void hw_entries_appended(struct hw_values entries, const struct hw_field_info *field, const struct hw_map_key *key) {
    struct map_index *index = index_of(entries);
    struct hw_values before = {entries.at, entries.count - 1};

    hw_critical_enter();
    if (current(index, before)) {
        if (index->positions) enter(index, entries, field, key, entries.count - 1);
        index->count = entries.count;
    }
    hw_critical_leave();
}

bool hw_map_rekey(void) {
    for (uint32_t i = 0; i < sizeof indexes / sizeof *indexes; i++) indexes[i].entries = NULL;
    hw_keys_forget();
    return true;
}

uint32_t hw_entries_find_indexed(struct hw_values entries, const struct hw_field_info *field,
                                 const struct hw_map_key *key) {
    /* Another list may come to lie in the place of an arena's. */
    if (UNLIKELY(!hw_object_in_heap(hw_reference(entries.at)))) return hw_entries_find_from(entries, field, key, 0);
    struct map_index index = asked(entries, field);
    uint32_t *place = index.positions ? place_of(&index, entries, field, key) : NULL;

    return place ? *place - 1 : hw_entries_find_from(entries, field, key, 0);
}

uint32_t hw_entries_find_from(struct hw_values entries, const struct hw_field_info *field, const struct hw_map_key *key,
                              uint32_t first) {
    const hw_ref *at = (const hw_ref *)(const void *)entries.at;

    if (hw_value_is_bytes(field->type))
        return hw_entries_last_bytes(at, field->offset, key->bytes.data, key->bytes.length, first, entries.count);
    if (hw_value_shift(field->type) == 2)
        return hw_entries_last_32(at, field->offset, (uint32_t)key->bits, first, entries.count);
    return hw_entries_last_bits(at, field, key->bits, first, entries.count);
}

uint32_t hw_entries_find(struct hw_values entries, const struct hw_field_info *field, const struct hw_map_key *key) {
    if (entries.count >= HW_MAP_INDEXED) return hw_entries_find_indexed(entries, field, key);
    return hw_entries_find_from(entries, field, key, 0);
}

bool hw_entry_counts(struct hw_values entries, const struct hw_field_info *field, uint32_t index) {
    struct hw_map_key key = hw_entry_key(hw_entry_at(entries, index), field);

    if (entries.count >= HW_MAP_INDEXED) return hw_entries_find_indexed(entries, field, &key) == index;
    return hw_entries_find_from(entries, field, &key, index + 1) == HW_MAP_NONE;
}

/* Finders of generated code: they know the key's type. */

static COLD_CALL const hw_ref *find_long(struct hw_values entries, uint32_t at, uint64_t key) {
    const struct hw_field_info field = {.offset = (uint16_t)at, .type = HW_TYPE_UINT32};
    struct hw_map_key wanted = hw_map_key_bits(key);

    return hw_entry_found(entries, hw_entries_find_indexed(entries, &field, &wanted));
}

OFTEN const hw_ref *hw_map_find_32(hw_handle message, uint32_t list, uint32_t at, uint32_t key) {
    struct hw_values entries = hw_entries_of(message, list);

    if (UNLIKELY(entries.count >= HW_MAP_INDEXED)) return find_long(entries, at, key);
    return hw_entry_found(entries,
                          hw_entries_last_32((const hw_ref *)(const void *)entries.at, at, key, 0, entries.count));
}

const hw_ref *hw_map_find_64(hw_handle message, uint32_t list, uint32_t at, uint64_t key) {
    struct hw_values entries = hw_entries_of(message, list);
    const struct hw_field_info field = {.offset = (uint16_t)at, .type = HW_TYPE_UINT64};
    struct hw_map_key wanted = hw_map_key_bits(key);

    return hw_entry_found(entries, hw_entries_find(entries, &field, &wanted));
}

const hw_ref *hw_map_find_bool(hw_handle message, uint32_t list, uint32_t at, bool key) {
    struct hw_values entries = hw_entries_of(message, list);
    const struct hw_field_info field = {.offset = (uint16_t)at, .type = HW_TYPE_BOOL};
    struct hw_map_key wanted = hw_map_key_bits(key);

    return hw_entry_found(entries, hw_entries_find(entries, &field, &wanted));
}
