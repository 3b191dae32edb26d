#include <string.h>

#include "runtime/schema_blob.h"

#define BIT(name, code, wire, shift, list, encoding) | 1u << code
#define TYPES (0 HW_FIELD_TYPES(BIT))          /* that a field can have */
#define LIMIT (1u << HW_ADT_OBJECT_SIZE_WIDTH) /* of offsets and of hasbits */
#define WINDOW 4096u

/* One bit for each byte of the object that is taken, and one for each hasbit that a field has taken, from number
 * `window` on. A larger object is looked at in several passes, so that the check needs little memory. */
static uint8_t bytes_taken[WINDOW / 8], hasbits_taken[WINDOW / 8];
static uint32_t window;

/* Returns false if it is already taken. */
static bool take(uint8_t *map, uint32_t index) {
    uint8_t bit = (uint8_t)(1u << index % 8);

    index -= window;
    if (index >= WINDOW) return true; /* in another pass */
    bool taken = map[index / 8] & bit;

    map[index / 8] |= bit;
    return !taken;
}

/* Takes a part of the object. Returns false if the part is not aligned, not wholly within the object, or already
 * taken. */
static bool take_bytes(uint32_t object_size, uint32_t offset, uint32_t bytes, uint32_t alignment) {
    if (offset % alignment != 0 || offset < HW_OBJECT_HEADER_SIZE || offset > object_size ||
        bytes > object_size - offset)
        return false;
    for (uint32_t i = 0; i < bytes; i++)
        if (!take(bytes_taken, offset + i)) return false;
    return true;
}

static bool take_optional(uint32_t object_size, uint32_t offset) {
    return offset == HW_ADT_NO_OFFSET || take_bytes(object_size, offset, 4, 4);
}

static uint32_t slot_bytes(const struct hw_field *field) {
    return HW_GET(field, ENTRY_REPEATED) ? 4 : 1u << hw_value_shift(HW_GET(field, ENTRY_TYPE));
}

static bool take_hasbit(const struct hw_type *type, const struct hw_field *field) {
    uint32_t hasbit = HW_GET(field, ENTRY_HASBIT), word = hasbit / 32;

    return word < HW_GET(type, ADT_HASBITS_WORDS) &&
           (word < HW_ADT_MAX_HASBITS_WORDS || HW_GET(field, ENTRY_UNSUPPORTED)) && take(hasbits_taken, hasbit);
}

/* The oneof of the member that was looked at last: its case word and hasbit, and the slots of its members so far
 * without and with a reference, with 0 bytes if there is none. */
static struct {
    uint32_t word, hasbit;
    struct {
        uint32_t offset, bytes;
    } slots[2];
} oneof;

/* Adds a member. Returns false if it has another hasbit or slot than those before it. */
static bool joins(const struct hw_field *field) {
    uint32_t bytes = slot_bytes(field), kind = hw_type_is_reference(HW_GET(field, ENTRY_TYPE));
    uint32_t offset = HW_GET(field, ENTRY_OFFSET), hasbit = HW_GET(field, ENTRY_HASBIT);
    bool first = oneof.slots[0].bytes + oneof.slots[1].bytes == 0;

    if ((!first && oneof.hasbit != hasbit) || (oneof.slots[kind].bytes && oneof.slots[kind].offset != offset))
        return false;
    oneof.hasbit = hasbit;
    oneof.slots[kind].offset = offset;
    if (bytes > oneof.slots[kind].bytes) oneof.slots[kind].bytes = bytes;
    return true;
}

/* Takes what the members of a oneof share once: the case word, the hasbit, one slot for references and one for scalars.
 * Each slot is as large as its largest member. */
static bool member_sound(const struct hw_type *type, const struct hw_field *field) {
    uint32_t size = HW_GET(type, ADT_OBJECT_SIZE), word = HW_GET(field, ENTRY_CASE_OFFSET);
    uint32_t offset = HW_GET(field, ENTRY_OFFSET), bytes = slot_bytes(field);

    if (word % 4 != 0 || word >= size) return false;
    if (oneof.word != word) {
        memset(&oneof, 0, sizeof(oneof));
        oneof.word = word;
        for (const struct hw_field *other = hw_type_ordered(type); other < field; other++)
            if (HW_GET(other, ENTRY_IN_ONEOF) && HW_GET(other, ENTRY_CASE_OFFSET) == word) joins(other);
    }
    uint32_t taken = oneof.slots[hw_type_is_reference(HW_GET(field, ENTRY_TYPE))].bytes;
    bool first = oneof.slots[0].bytes + oneof.slots[1].bytes == 0;

    if (!joins(field) || (first && (!take_bytes(size, word, 4, 4) || !take_hasbit(type, field)))) return false;
    return bytes <= taken || (offset % bytes == 0 && take_bytes(size, offset + taken, bytes - taken, 1));
}

/* Returns whether a field of this kind can have this presence. Counts required fields. */
static bool presence_sound(const struct hw_type *type, const struct hw_field *field, uint32_t *required) {
    uint32_t presence = HW_GET(field, ENTRY_PRESENCE), kind = HW_GET(field, ENTRY_TYPE);
    bool repeated = HW_GET(field, ENTRY_REPEATED);
    bool first = HW_GET(field, ENTRY_HASBIT) < HW_GET(type, ADT_REQUIRED_COUNT);

    if (presence > HW_ADT_PRESENCE_REQUIRED || (presence == HW_ADT_PRESENCE_REQUIRED) != first ||
        (presence == HW_ADT_PRESENCE_CASE) != HW_GET(field, ENTRY_IN_ONEOF))
        return false;
    *required += first;
    if (repeated) return presence == HW_ADT_PRESENCE_REFERENCE;
    if (presence == HW_ADT_PRESENCE_REFERENCE) return kind == HW_TYPE_MESSAGE || kind == HW_TYPE_GROUP;
    return presence != HW_ADT_PRESENCE_IMPLICIT || (kind != HW_TYPE_MESSAGE && kind != HW_TYPE_GROUP);
}

/* Returns whether the field's enum list, which begins at `*list`, ascends and contains every value in the entry's
 * range, and whether the entry says where it is. Moves `*list` behind the list. */
static bool list_sound(const struct hw_type *type, const struct hw_field *field, const uint32_t **list,
                       const uint32_t *end) {
    int32_t low = (int16_t)HW_GET(field, ENTRY_ENUM_LOW), high = (int16_t)HW_GET(field, ENTRY_ENUM_HIGH), inside = 0;
    uint32_t count_at = (uint32_t)((const char *)(*list + 1) - (const char *)type);

    if (end - *list < 2 || (*list)[0] != HW_GET(field, ENTRY_KEY) >> 3 || (*list)[1] > (uint32_t)(end - *list - 2))
        return false;
    if (!HW_GET(field, ENTRY_IN_ONEOF) &&
        HW_GET(field, ENTRY_ENUM_VALUES) != (count_at >> HW_ENTRY_ENUM_VALUES_WIDTH == 0 ? count_at : 0))
        return false;
    const int32_t *values = (const int32_t *)(*list + 2), *stop = values + (*list)[1];

    for (const int32_t *value = values; value < stop; value++) {
        if (value > values && *value <= value[-1]) return false;
        inside += *value >= low && *value <= high;
    }
    *list = (const uint32_t *)stop;
    return low > high || inside == high - low + 1;
}

/* Checks the enum lists, which are in ascending order of field numbers and lie within `available` bytes. Returns the
 * offset behind them, or 0. */
static uint32_t lists_end(const struct hw_type *type, uint32_t ordered_end, uint32_t available) {
    uint32_t distance = HW_GET(type, ADT_ENUM_LISTS) * HW_ENUM_LISTS_UNIT;
    const struct hw_field *first = hw_type_ordered(type), *field = first + HW_GET(type, ADT_FIELD_COUNT);
    const uint32_t *list = (const uint32_t *)((const char *)type + distance);
    const uint32_t *end = (const uint32_t *)((const char *)type + available);

    if (distance != 0 && (distance < ordered_end || distance > available)) return 0;
    while (field-- > first)
        if (HW_GET(field, ENTRY_CLOSED_ENUM) && (distance == 0 || !list_sound(type, field, &list, end))) return 0;
    if (distance == 0) return ordered_end;
    return list < end && *list == 0 ? (uint32_t)((const char *)(list + 1) - (const char *)type) : 0;
}

static bool entry_sound(const struct hw_type *type, const struct hw_field *field, uint32_t *required) {
    uint32_t kind = HW_GET(field, ENTRY_TYPE), key = HW_GET(field, ENTRY_KEY), bytes = slot_bytes(field);
    const struct hw_field *hashed = hw_type_find(type, key >> 3);

    if (key >> 3 == 0 || !hashed ||
        memcmp(&hashed->words[1], &field->words[1], sizeof(field->words) - sizeof(field->words[0])) != 0)
        return false;
    if (field > hw_type_ordered(type) && HW_GET(field - 1, ENTRY_KEY) >> 3 <= key >> 3) return false;
    if (!(TYPES >> kind & 1) || !HW_GET(field, ENTRY_HAS_HASBIT) ||
        (HW_GET(field, ENTRY_PACKED) && (!HW_GET(field, ENTRY_REPEATED) || hw_type_is_reference(kind))) ||
        (HW_GET(field, ENTRY_CLOSED_ENUM) && kind != HW_TYPE_ENUM) ||
        (HW_GET(field, ENTRY_CHECK_UTF8) && kind != HW_TYPE_STRING) ||
        (key & 7) != (HW_GET(field, ENTRY_PACKED) ? 2 : hw_type_wire(kind)) || !presence_sound(type, field, required))
        return false;
    if (!HW_GET(field, ENTRY_IN_ONEOF) && !HW_GET(field, ENTRY_CLOSED_ENUM) && HW_GET(field, ENTRY_ENUM_VALUES) != 0)
        return false;
    if (HW_GET(field, ENTRY_IN_ONEOF)) return !HW_GET(field, ENTRY_REPEATED) && member_sound(type, field);
    return take_hasbit(type, field) &&
           take_bytes(HW_GET(type, ADT_OBJECT_SIZE), HW_GET(field, ENTRY_OFFSET), bytes, bytes);
}

/* Returns whether software or a unit reads the slot without first asking whether it was written. */
static bool read_unasked(const struct hw_field *field) {
    switch (HW_GET(field, ENTRY_PRESENCE)) {
        case HW_ADT_PRESENCE_IMPLICIT:
        case HW_ADT_PRESENCE_REFERENCE:
        case HW_ADT_PRESENCE_ALWAYS:
            return true;
        default:
            return false;
    }
}

/* Returns whether the cleared part of a new object contains the object's own words and every slot that must be cleared:
 * those for which read_unasked holds and, with `every_reference`, all references. */
static bool clears(const struct hw_type *type, bool every_reference) {
    const struct hw_field *field = hw_type_ordered(type), *end = field + HW_GET(type, ADT_FIELD_COUNT);
    uint32_t cleared = HW_GET(type, ADT_CLEARED) * HW_ADT_CLEARED_UNIT;

    if (cleared == 0 || cleared >= HW_GET(type, ADT_OBJECT_SIZE)) return true;
    if (HW_GET(type, ADT_HASBITS_OFFSET) + 4 * HW_GET(type, ADT_HASBITS_WORDS) > cleared ||
        HW_GET(type, ADT_MEMOIZED_SIZE_OFFSET) + 4 > cleared ||
        HW_GET(type, ADT_MEMOIZED_IS_INITIALIZED_OFFSET) + 4 > cleared ||
        HW_GET(type, ADT_UNKNOWN_FIELDS_OFFSET) + 4 > cleared)
        return false;
    for (; field < end; field++) {
        bool wanted =
            read_unasked(field) ||
            (every_reference && (HW_GET(field, ENTRY_REPEATED) || hw_type_is_reference(HW_GET(field, ENTRY_TYPE))));

        if ((wanted && HW_GET(field, ENTRY_OFFSET) + slot_bytes(field) > cleared) ||
            (HW_GET(field, ENTRY_IN_ONEOF) && HW_GET(field, ENTRY_CASE_OFFSET) + 4 > cleared))
            return false;
    }
    return true;
}

bool hw_schema_table_collectable(const struct hw_type *type) { return clears(type, true); }

/* Returns whether exactly `fields` slots are in use and all others are zero. A key with the number 0 would find the
 * others. */
static bool slots_sound(const struct hw_type *type, uint32_t fields) {
    static const struct hw_field empty;
    const struct hw_field *slots = hw_type_slots(type);
    uint32_t used = 0;

    for (uint32_t i = 0; i < hw_type_slot_count(type); i++) {
        if (HW_GET(&slots[i], ENTRY_NUMBER) != 0)
            used++;
        else if (memcmp(&slots[i], &empty, sizeof(empty)) != 0)
            return false;
    }
    return used == fields;
}

/* Types that a map key can have. */
#define KEYS                                                                                    \
    (1u << HW_TYPE_INT64 | 1u << HW_TYPE_UINT64 | 1u << HW_TYPE_INT32 | 1u << HW_TYPE_FIXED64 | \
     1u << HW_TYPE_FIXED32 | 1u << HW_TYPE_BOOL | 1u << HW_TYPE_STRING | 1u << HW_TYPE_UINT32 | \
     1u << HW_TYPE_SFIXED32 | 1u << HW_TYPE_SFIXED64 | 1u << HW_TYPE_SINT32 | 1u << HW_TYPE_SINT64)

/* Returns whether a table with sound entries is one of map entries: a value, then (numbers descend) a key. */
static bool map_entry_sound(const struct hw_type *type) {
    const struct hw_field *value = hw_type_ordered(type), *key = value + 1;

    if (HW_GET(type, ADT_FIELD_COUNT) != 2 || HW_GET(value, ENTRY_KEY) >> 3 != 2 || HW_GET(key, ENTRY_KEY) >> 3 != 1)
        return false;
    uint32_t presence = HW_GET(value, ENTRY_PRESENCE), kind = HW_GET(value, ENTRY_TYPE);

    return (presence == HW_ADT_PRESENCE_ALWAYS || (presence == HW_ADT_PRESENCE_REQUIRED && kind == HW_TYPE_MESSAGE)) &&
           kind != HW_TYPE_GROUP && HW_GET(key, ENTRY_PRESENCE) == HW_ADT_PRESENCE_ALWAYS &&
           KEYS >> HW_GET(key, ENTRY_TYPE) & 1;
}

/* Returns whether the table's claim that objects begin as usual (ADT_USUAL), if it makes it, is true. */
static bool usual_sound(const struct hw_type *type) {
    return !HW_GET(type, ADT_USUAL) ||
           (HW_GET(type, ADT_HASBITS_WORDS) == 1 && HW_GET(type, ADT_HASBITS_OFFSET) == HW_ADT_USUAL_HASBITS &&
            HW_GET(type, ADT_MEMOIZED_SIZE_OFFSET) == HW_ADT_USUAL_HASBITS + 4 &&
            HW_GET(type, ADT_MEMOIZED_IS_INITIALIZED_OFFSET) == HW_ADT_USUAL_HASBITS + 8 &&
            HW_GET(type, ADT_UNKNOWN_FIELDS_OFFSET) == HW_ADT_USUAL_HASBITS + 12);
}

/* Looks at the header's words and at all entries, where they take bytes and hasbits of the window. */
static bool window_sound(const struct hw_type *type) {
    uint32_t size = HW_GET(type, ADT_OBJECT_SIZE), words = HW_GET(type, ADT_HASBITS_WORDS), required = 0;
    uint32_t unknown = HW_GET(type, ADT_UNKNOWN_HASBIT);
    const struct hw_field *first = hw_type_ordered(type), *end = first + HW_GET(type, ADT_FIELD_COUNT);

    memset(bytes_taken, 0, sizeof(bytes_taken));
    memset(hasbits_taken, 0, sizeof(hasbits_taken));
    oneof.word = UINT32_MAX;
    if ((words != 0 && !take_bytes(size, HW_GET(type, ADT_HASBITS_OFFSET), 4 * words, 4)) ||
        !take_optional(size, HW_GET(type, ADT_MEMOIZED_SIZE_OFFSET)) ||
        !take_optional(size, HW_GET(type, ADT_MEMOIZED_IS_INITIALIZED_OFFSET)) ||
        !take_optional(size, HW_GET(type, ADT_UNKNOWN_FIELDS_OFFSET)) || unknown / 32 >= words ||
        !take(hasbits_taken, unknown))
        return false;
    for (const struct hw_field *field = first; field < end; field++)
        if (!entry_sound(type, field, &required)) return false;
    return required == HW_GET(type, ADT_REQUIRED_COUNT) && (required == 0 || HW_GET(type, ADT_HAS_REQUIRED));
}

uint32_t hw_schema_table_sound(const struct hw_type *type, uint32_t available) {
    uint32_t size = HW_GET(type, ADT_OBJECT_SIZE), hasbits = HW_GET(type, ADT_HASBITS_WORDS) * 32;
    uint32_t fields = HW_GET(type, ADT_FIELD_COUNT), limit = size > hasbits ? size : hasbits;
    uint32_t hash_end = HW_ADT_HEADER_SIZE + HW_ADT_ENTRY_SIZE * hw_type_slot_count(type);

    if (fields > (available - hash_end) / HW_ADT_ENTRY_SIZE || !slots_sound(type, fields) || hasbits > LIMIT ||
        size < HW_OBJECT_HEADER_SIZE || size % HW_OBJECT_ALIGNMENT != 0 || !usual_sound(type))
        return 0;
    for (window = 0; window < limit; window += WINDOW)
        if (!window_sound(type)) return 0;
    if ((HW_GET(type, ADT_MAP_ENTRY) && !map_entry_sound(type)) || !clears(type, false)) return 0;
    return lists_end(type, hash_end + HW_ADT_ENTRY_SIZE * fields, available);
}

static void set_reference(uint32_t *bitmap, uint32_t offset) {
    uint32_t slot = (offset - HW_OBJECT_HEADER_SIZE) / 4;

    bitmap[slot / 32] |= 1u << slot % 32;
}

const uint32_t *hw_schema_table_references(const struct hw_type *type) {
    static uint32_t bitmap[LIMIT / 4 / 32];
    const struct hw_field *field = hw_type_ordered(type), *end = field + HW_GET(type, ADT_FIELD_COUNT);

    memset(bitmap, 0, sizeof(bitmap));
    if (HW_GET(type, ADT_UNKNOWN_FIELDS_OFFSET) != HW_ADT_NO_OFFSET)
        set_reference(bitmap, HW_GET(type, ADT_UNKNOWN_FIELDS_OFFSET));
    for (; field < end; field++)
        if (HW_GET(field, ENTRY_REPEATED) || hw_type_is_reference(HW_GET(field, ENTRY_TYPE)))
            set_reference(bitmap, HW_GET(field, ENTRY_OFFSET));
    return bitmap;
}
