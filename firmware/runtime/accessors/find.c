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
    return true;
}

uint32_t hw_entries_find_indexed(struct hw_values entries, const struct hw_field_info *field,
                                 const struct hw_map_key *key) {
    struct map_index index = asked(entries, field);
    uint32_t *place = index.positions ? place_of(&index, entries, field, key) : NULL;

    return place ? *place - 1 : hw_entries_find_from(entries, field, key, 0);
}

static uint32_t last_empty(const hw_ref *entries, uint32_t at, uint32_t first, uint32_t count) {
    while (count-- > first) {
        hw_ref string = entries[count] ? *(const hw_ref *)hw_pointer(entries[count] + at) : 0;
        if (hw_byte_string_bytes(string).length == 0) return count;
    }
    return HW_MAP_NONE;
}

static COLD_CALL bool view_holds(hw_ref view, const uint8_t *data, uint32_t length) {
    struct hw_bytes bytes = hw_byte_string_bytes(view);

    return bytes.length == length && memcmp(bytes.data, data, length) == 0;
}

/* Returns whether the first `length` bytes, whole words of the array, are the same. */
ALWAYS_INLINE bool same_words(const struct hw_array *array, const uint8_t *data, uint32_t length) {
    const uint8_t *bytes = array->elements, *end = data + length;

    if ((uintptr_t)data % 4 == 0) {
        for (; data != end; data += 4, bytes += 4)
            if (*(const uint32_t *)(const void *)data != *(const uint32_t *)(const void *)bytes) return false;
        return true;
    }
    while (data != end)
        if (*data++ != *bytes++) return false;
    return true;
}

ALWAYS_INLINE uint32_t word_at(const struct hw_array *array, uint32_t offset) {
    return *(const uint32_t *)(const void *)(array->elements + offset);
}

/* What a key of at least one byte ends with: entries' other bytes are looked at only if their length and their last
 * word are those of the key, since keys that are made one after the other differ at their end. */
struct key_end {
    uint32_t head, unused, word; /* bytes before the last word; its bits that are no key's; the word */
};

ALWAYS_INLINE struct key_end end_of(const uint8_t *data, uint32_t length) {
    struct key_end end = {.head = (length - 1) & ~3u, .unused = (4 - length % 4) % 4 * 8};

    for (uint32_t i = length; i-- > end.head;) end.word = end.word << 8 | data[i];
    return end;
}

ALWAYS_INLINE bool may_hold(const struct hw_array *array, uint32_t length, struct key_end end) {
    return array->length == length && UNLIKELY((word_at(array, end.head) ^ end.word) << end.unused == 0);
}

static uint32_t last_bytes(const hw_ref *entries, uint32_t at, const uint8_t *data, uint32_t length, uint32_t first,
                           uint32_t count) {
    if (UNLIKELY(length == 0)) return last_empty(entries, at, first, count);
    struct key_end end = end_of(data, length);

    while (count-- > first) {
        hw_ref string = entries[count] ? *(const hw_ref *)hw_pointer(entries[count] + at) : 0;
        if (UNLIKELY(string == 0)) continue;
        if (hw_is_byte_view(string)) {
            if (view_holds(string, data, length)) return count;
            continue;
        }
        const struct hw_array *array = hw_pointer(((const struct hw_byte_string *)hw_pointer(string))->bytes);

        if (may_hold(array, length, end) && same_words(array, data, end.head)) return count;
    }
    return HW_MAP_NONE;
}

uint32_t hw_entries_find_from(struct hw_values entries, const struct hw_field_info *field, const struct hw_map_key *key,
                              uint32_t first) {
    const hw_ref *at = (const hw_ref *)(const void *)entries.at;

    if (hw_value_is_bytes(field->type))
        return last_bytes(at, field->offset, key->bytes.data, key->bytes.length, first, entries.count);
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

static inline struct hw_values values_of(hw_handle message, uint32_t offset) {
    const struct hw_array_list *list = hw_pointer(hw_read_32(message, offset));

    if (!list || list->array == 0) return (struct hw_values){0};
    return (struct hw_values){(const char *)hw_array_bytes(list->array), list->count};
}

static inline const hw_ref *found(struct hw_values entries, uint32_t index) {
    return index == HW_MAP_NONE ? NULL : (const hw_ref *)(const void *)entries.at + index;
}

static COLD_CALL const hw_ref *find_long(struct hw_values entries, uint32_t at, uint64_t key) {
    const struct hw_field_info field = {.offset = (uint16_t)at, .type = HW_TYPE_UINT32};
    struct hw_map_key wanted = hw_map_key_bits(key);

    return found(entries, hw_entries_find_indexed(entries, &field, &wanted));
}

static COLD_CALL const hw_ref *find_long_bytes(struct hw_values entries, uint32_t at, const void *data,
                                               uint32_t length) {
    const struct hw_field_info field = {.offset = (uint16_t)at, .type = HW_TYPE_BYTES};
    struct hw_map_key wanted = hw_map_key_bytes(data, length);

    return found(entries, hw_entries_find_indexed(entries, &field, &wanted));
}

OFTEN const hw_ref *hw_map_find_32(hw_handle message, uint32_t list, uint32_t at, uint32_t key) {
    struct hw_values entries = values_of(message, list);

    if (UNLIKELY(entries.count >= HW_MAP_INDEXED)) return find_long(entries, at, key);
    return found(entries, hw_entries_last_32((const hw_ref *)(const void *)entries.at, at, key, 0, entries.count));
}

const hw_ref *hw_map_find_64(hw_handle message, uint32_t list, uint32_t at, uint64_t key) {
    struct hw_values entries = values_of(message, list);
    const struct hw_field_info field = {.offset = (uint16_t)at, .type = HW_TYPE_UINT64};
    struct hw_map_key wanted = hw_map_key_bits(key);

    return found(entries, hw_entries_find(entries, &field, &wanted));
}

const hw_ref *hw_map_find_bool(hw_handle message, uint32_t list, uint32_t at, bool key) {
    struct hw_values entries = values_of(message, list);
    const struct hw_field_info field = {.offset = (uint16_t)at, .type = HW_TYPE_BOOL};
    struct hw_map_key wanted = hw_map_key_bits(key);

    return found(entries, hw_entries_find(entries, &field, &wanted));
}

/* hw_map_find_bytes among the first `count` entries, whatever they are. */
static COLD_CALL const hw_ref *find_bytes(const hw_ref *entries, uint32_t at, const uint8_t *data, uint32_t length,
                                          uint32_t count) {
    uint32_t index = last_bytes(entries, at, data, length, 0, count);

    return index == HW_MAP_NONE ? NULL : entries + index;
}

/* Calls nothing but in its last act, so that no register is saved. Looks at two entries at a time: the loads of one
 * depend on each other, and those of the other fill the gaps. */
OFTEN const hw_ref *hw_map_find_bytes(hw_handle message, uint32_t list, uint32_t at, const void *data,
                                      uint32_t length) {
    struct hw_values values = values_of(message, list);
    const hw_ref *entries = (const hw_ref *)(const void *)values.at, *one = entries + values.count;

    if (UNLIKELY(values.count >= HW_MAP_INDEXED)) return find_long_bytes(values, at, data, length);
    if (UNLIKELY(length == 0 || (uintptr_t)data % 4 != 0)) return find_bytes(entries, at, data, length, values.count);
    struct key_end end = end_of(data, length);

    while (one != entries) {
        one--;
        const hw_ref *other = one != entries ? one - 1 : one;
        hw_ref late = *one, early = *other;

        if (UNLIKELY(late == 0 || early == 0)) return find_bytes(entries, at, data, length, one + 1 - entries);
        late = *(const hw_ref *)hw_pointer(late + at), early = *(const hw_ref *)hw_pointer(early + at);
        if (UNLIKELY(late == 0 || early == 0 || hw_is_byte_view(late) || hw_is_byte_view(early)))
            return find_bytes(entries, at, data, length, one + 1 - entries);
        const struct hw_array *array = hw_pointer(((const struct hw_byte_string *)hw_pointer(late))->bytes);
        const struct hw_array *next = hw_pointer(((const struct hw_byte_string *)hw_pointer(early))->bytes);

        if (!may_hold(array, length, end)) {
            one = other;
            if (!may_hold(next, length, end)) continue;
            array = next;
        }
        if (same_words(array, data, end.head)) return one;
    }
    return NULL;
}
