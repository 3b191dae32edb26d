/* Keys that are strings, in lists too short for an index.
 *
 * A look-up that goes to every string loads five words an entry, each from where the one before says. So a list that is
 * asked a second time, or that grows from nothing, gets the marks of its keys beside it: a word for each entry, made of
 * the key's length and last bytes, since keys that are made one after the other differ at their end. Only entries whose
 * mark is that of the key are looked at.
 */
#include "runtime/accessors/put.h"

/* What a key of at least one byte ends with. */
struct key_end {
    uint32_t head, unused, word; /* bytes before the last word; its bits that are no key's; the word */
};

ALWAYS_INLINE struct key_end end_of(const uint8_t *data, uint32_t length) {
    struct key_end end = {.head = (length - 1) & ~3u, .unused = -length % 4 * 8};
    const uint8_t *last = data + end.head;
    uint32_t rest = length % 4;

    if (rest != 0)
        end.word = hw_object_last_word(last, rest);
    else
        end.word = hw_object_last_word(last, 3) | (uint32_t)last[3] << 24;
    return end;
}

ALWAYS_INLINE uint32_t mark_of(struct key_end end, uint32_t length) { return end.word ^ length << 24; }

static COLD_CALL bool view_holds(hw_ref view, const uint8_t *data, uint32_t length) {
    struct hw_bytes bytes = hw_byte_string_bytes(view);

    return bytes.length == length && memcmp(bytes.data, data, length) == 0;
}

/* Returns whether the first `length` bytes, whole words of the array, are the same. */
ALWAYS_INLINE bool same_words(const struct hw_array *array, const uint8_t *data, uint32_t length) {
    const uint8_t *bytes = array->elements;

    if (UNLIKELY((uintptr_t)data % 4 != 0)) {
        for (; length != 0; length--)
            if (*data++ != *bytes++) return false;
        return true;
    }
    for (; length != 0; length -= 4, data += 4, bytes += 4)
        if (*(const uint32_t *)(const void *)data != *(const uint32_t *)(const void *)bytes) return false;
    return true;
}

/* Returns whether a byte string is these bytes, at least one. Looks at length and end first. */
ALWAYS_INLINE bool holds_words(hw_ref string, const uint8_t *data, uint32_t length, struct key_end end) {
    const struct hw_array *array = hw_pointer(((const struct hw_byte_string *)hw_pointer(string))->bytes);

    return array->length == length &&
           (*(const uint32_t *)(const void *)(array->elements + end.head) ^ end.word) << end.unused == 0 &&
           same_words(array, data, end.head);
}

static bool holds(hw_ref entry, uint32_t at, const uint8_t *data, uint32_t length, struct key_end end) {
    hw_ref string = entry ? *(const hw_ref *)hw_pointer(entry + at) : 0;

    if (string == 0) return false;
    return hw_is_byte_view(string) ? view_holds(string, data, length) : holds_words(string, data, length, end);
}

/* Returns whether the key of an entry, of whose mark it is known that it is the right one, is these bytes; false for
 * a view. If the mark and the length are the same, so is the end. */
ALWAYS_INLINE bool has_mark(hw_ref entry, uint32_t at, const uint8_t *data, uint32_t length, uint32_t head) {
    hw_ref string = *(const hw_ref *)hw_pointer(entry + at);

    if (UNLIKELY(hw_is_byte_view(string))) return false;
    const struct hw_array *array = hw_pointer(((const struct hw_byte_string *)hw_pointer(string))->bytes);

    return array->length == length && same_words(array, data, head);
}

static COLD_CALL uint32_t last_empty(const hw_ref *entries, uint32_t at, uint32_t first, uint32_t count) {
    while (count-- > first) {
        hw_ref string = entries[count] ? *(const hw_ref *)hw_pointer(entries[count] + at) : 0;
        if (hw_byte_string_bytes(string).length == 0) return count;
    }
    return HW_MAP_NONE;
}

uint32_t hw_entries_last_bytes(const hw_ref *entries, uint32_t at, const uint8_t *data, uint32_t length, uint32_t first,
                               uint32_t count) {
    if (UNLIKELY(length == 0)) return last_empty(entries, at, first, count);
    struct key_end end = end_of(data, length);

    while (count-- > first)
        if (holds(entries[count], at, data, length, end)) return count;
    return HW_MAP_NONE;
}

/* Threads share the marks: who changes them is in a critical section. Who reads them looks at the end whether they are
 * still those of the list. */
struct marks {
    _Alignas(32) const hw_ref *entries; /* the list's elements; NULL: none */
    uint32_t count, moves;              /* of these; the heap's, when they were noted */
    const hw_ref *asked;                /* the elements of a list that was asked once */
    uint32_t none;                      /* so that marks can be looked at by twos */
    uint32_t of[HW_MAP_INDEXED];
};

static struct marks all_marks[4];

ALWAYS_INLINE struct marks *marks_of(const hw_ref *entries) {
    return &all_marks[(uintptr_t)entries / 32 % (sizeof all_marks / sizeof *all_marks)];
}

/* Marks that were never filled are not current: the heap has moved since. All is loaded before it is compared. */
ALWAYS_INLINE bool current(const struct marks *marks, const hw_ref *entries, uint32_t count) {
    uintptr_t other = (uintptr_t)marks->entries ^ (uintptr_t)entries;

    return (other | (marks->count ^ count) | (marks->moves ^ hw_heap_moves)) == 0;
}

void hw_keys_forget(void) {
    for (uint32_t i = 0; i < sizeof all_marks / sizeof *all_marks; i++) all_marks[i].entries = NULL;
}

/* Makes the marks of a list, unless it has an empty key. */
static void fill(struct marks *marks, const hw_ref *entries, uint32_t at, uint32_t count) {
    marks->entries = NULL;
    for (uint32_t i = 0; i < count; i++) {
        struct hw_bytes key = hw_byte_string_bytes(entries[i] ? *(const hw_ref *)hw_pointer(entries[i] + at) : 0);
        if (key.length == 0) return;
        marks->of[i] = mark_of(end_of(key.data, key.length), key.length);
    }
    marks->count = count;
    marks->moves = hw_heap_moves;
    marks->entries = entries;
}

/* hw_map_find_bytes of a list without marks, or of an empty key. An arena's list gets none, since another one may come
 * to lie in its place. */
static COLD_CALL const hw_ref *find_plainly(struct hw_values values, uint32_t at, const uint8_t *data,
                                            uint32_t length) {
    const hw_ref *entries = (const hw_ref *)(const void *)values.at;
    const struct hw_field_info field = {.offset = (uint16_t)at, .type = HW_TYPE_BYTES};
    struct hw_map_key wanted = hw_map_key_bytes(data, length);
    struct marks *marks = marks_of(entries);

    if (length != 0 && values.count < HW_MAP_INDEXED && hw_object_in_heap(hw_reference(entries))) {
        hw_critical_enter();
        if (marks->asked == entries)
            fill(marks, entries, at, values.count);
        else
            marks->asked = entries;
        hw_critical_leave();
    }
    return hw_entry_found(values, hw_entries_find(values, &field, &wanted));
}

/* Calls nothing but in its last act, so that no register is saved. */
OFTEN const hw_ref *hw_map_find_bytes(hw_handle message, uint32_t list, uint32_t at, const void *data,
                                      uint32_t length) {
    struct hw_values values = hw_entries_of(message, list);
    const hw_ref *entries = (const hw_ref *)(const void *)values.at;
    const struct marks *marks = marks_of(entries);

    if (UNLIKELY(length == 0 || !current(marks, entries, values.count))) return find_plainly(values, at, data, length);
    struct key_end end = end_of(data, length);
    const uint32_t *mark = marks->of + values.count;
    uint32_t wanted = mark_of(end, length);
    const hw_ref *found = NULL;
    bool sure = true;

    do { /* both are loaded first: loads take a while */
        uint32_t late = mark[-1], early = mark[-2];
        __asm__("" : "+r"(late), "+r"(early));
        mark -= 2;
        if (UNLIKELY(late == wanted || early == wanted)) {
            if (late == wanted) mark++;
            found = entries + (mark - marks->of);
            sure = mark >= marks->of && has_mark(*found, at, data, length, end.head);
            break;
        }
    } while (mark > marks->of);
    __asm__ volatile("" ::: "memory"); /* the marks were read before */
    return LIKELY(sure && marks->entries == entries) ? found : find_plainly(values, at, data, length);
}

/* Calls nothing but in its last act, too. */
OFTEN bool hw_keys_enter(struct hw_values values, uint32_t at, const uint8_t *data, uint32_t length) {
    const hw_ref *entries = (const hw_ref *)(const void *)values.at;
    struct marks *marks = marks_of(entries);

    hw_critical_enter();
    if (UNLIKELY(length == 0 || !current(marks, entries, values.count))) {
        hw_critical_leave();
        return find_plainly(values, at, data, length) != NULL;
    }
    uint32_t *mark = marks->of + values.count, wanted = mark_of(end_of(data, length), length);

    *mark = wanted;
    while (mark != marks->of)
        if (UNLIKELY(*--mark == wanted)) {
            hw_critical_leave();
            return hw_entries_last_bytes(entries, at, data, length, 0, values.count) != HW_MAP_NONE;
        }
    marks->count = values.count + 1;
    hw_critical_leave();
    return false;
}

void hw_keys_begin(const hw_ref *entries, const uint8_t *data, uint32_t length) {
    struct marks *marks = marks_of(entries);

    if (length == 0) return;
    hw_critical_enter();
    marks->entries = entries;
    marks->moves = hw_heap_moves;
    marks->of[0] = mark_of(end_of(data, length), length);
    marks->count = 1;
    hw_critical_leave();
}

static inline struct hw_map_place place_of(const struct hw_map *map, bool bytes) {
    struct hw_map_place place = map->place;

    place.key.is_bytes = true;
    place.value.is_bytes = bytes;
    return place;
}

OFTEN bool hw_map_put_bytes(hw_handle message, const struct hw_map *map, const void *key, uint32_t key_length,
                            const void *data, uint32_t length) {
    return hw_map_put(message, map->info, map->index, map->type, place_of(map, true), hw_map_key_bytes(key, key_length),
                      hw_map_key_bytes(data, length));
}

OFTEN bool hw_map_put_bits(hw_handle message, const struct hw_map *map, const void *key, uint32_t key_length,
                           uint64_t bits) {
    return hw_map_put(message, map->info, map->index, map->type, place_of(map, false),
                      hw_map_key_bytes(key, key_length), hw_map_key_bits(bits));
}
