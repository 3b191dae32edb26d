#include "twin_decode.h"
#include "protobuf/nanopb/unit.h"

#define SEEN_WORDS 16

/* A message that is being decoded. */
struct open {
    const struct hw_type *type;
    uint8_t *base;
    uint32_t seen[SEEN_WORDS];
    const struct hw_field *fixed; /* the open list without a count, or NULL */
    uint32_t fixed_count;
};

static bool parse(struct twin_unit *unit, const struct hw_type *type, uint8_t *base, const uint8_t *at,
                  const uint8_t *end);

/* Returns the address of the next element of a list. Returns NULL if there is no room for one. */
static uint8_t *next_element(struct twin_unit *unit, struct open *open, const struct hw_field *entry) {
    uint8_t *slot = open->base + HW_GET(entry, ENTRY_OFFSET),
            *counter = open->base + HW_GET(entry, NATIVE_ENTRY_PRESENCE_OFFSET);
    bool fixed = HW_GET(entry, NATIVE_ENTRY_FIXED_COUNT), pointer = HW_GET(entry, NATIVE_ENTRY_POINTER);
    uint32_t most = twin_most(entry), size = twin_element(open->type, entry);
    uint32_t count = fixed ? open->fixed_count : twin_count(open->type, counter);

    if ((most && count >= most) || (!fixed && twin_count_bytes(open->type) == 2 && count == UINT16_MAX)) {
        unit->status = HW_STATUS_DOES_NOT_FIT;
        return NULL;
    }
    if (pointer) {
        uint64_t bytes = (uint64_t)(count + 1) * size;
        uint8_t *block = bytes < UINT32_MAX
                             ? twin_grow(unit, count || !fixed ? twin_get_pointer(slot) : NULL, (uint32_t)bytes)
                             : NULL;
        if (!block) {
            unit->status = HW_STATUS_FLEXIBLE_ARENA_FULL;
            return NULL;
        }
        twin_put_pointer(slot, block);
        slot = block;
    }
    if (fixed)
        open->fixed_count = count + 1;
    else
        twin_set_count(open->type, counter, count + 1);
    return slot + (size_t)count * size;
}

/* Enters a list. Only one list without a count can be open at a time, and it cannot be entered again: nanopb has
 * special rules for that. */
static bool enter(struct twin_unit *unit, struct open *open, const struct hw_field *entry, bool seen) {
    if (open->fixed && HW_GET(open->fixed, ENTRY_NUMBER) == HW_GET(entry, ENTRY_NUMBER)) return true;
    if (open->fixed && open->fixed_count != HW_GET(open->fixed, NATIVE_ENTRY_MAX_COUNT))
        return twin_fail(unit,
                         HW_GET(entry, NATIVE_ENTRY_FIXED_COUNT) ? HW_STATUS_DOES_NOT_FIT : HW_STATUS_UNSUPPORTED);
    open->fixed = NULL;
    if (HW_GET(entry, NATIVE_ENTRY_FIXED_COUNT)) {
        if (seen) return twin_fail(unit, HW_STATUS_UNSUPPORTED);
        open->fixed = entry;
        open->fixed_count = 0;
    }
    return true;
}

static bool put_packed(struct twin_unit *unit, struct open *open, const struct hw_field *entry, const uint8_t *at,
                       const uint8_t *end) {
    if (at == end && HW_GET(entry, NATIVE_ENTRY_FIXED_COUNT)) return twin_fail(unit, HW_STATUS_UNSUPPORTED);
    while (at < end) {
        uint64_t value;
        uint8_t *slot = next_element(unit, open, entry);
        if (!slot || !twin_get_scalar(unit, entry, &at, end, &value) || !twin_put_scalar(unit, entry, slot, value))
            return false;
    }
    return true;
}

static bool put_message(struct twin_unit *unit, struct open *open, const struct hw_field *entry, uint8_t *slot,
                        bool again, const uint8_t *at, const uint8_t *end) {
    const struct hw_type *sub = twin_sub_type(open->type, entry);
    bool repeated = HW_GET(entry, ENTRY_REPEATED), pointer = HW_GET(entry, NATIVE_ENTRY_POINTER);
    bool ok;

    if (repeated) {
        twin_begin(sub, slot, pointer);
    } else if (pointer) {
        uint8_t *block = twin_allocate(unit, twin_stride(sub));
        if (!block) return false;
        twin_put_pointer(slot, block);
        slot = block;
        twin_begin(sub, slot, true);
    } else if (HW_GET(entry, ENTRY_IN_ONEOF) && !again) {
        twin_begin(sub, slot, true);
    }
    if (unit->depth >= TWIN_MAX_DEPTH) return twin_fail(unit, HW_STATUS_DEPTH_EXCEEDED);
    unit->depth++;
    ok = parse(unit, sub, slot, at, end);
    unit->depth--;
    return ok;
}

/* Sets the has-flag or `which`. Returns true if the oneof already had this member. */
static bool mark(struct open *open, const struct hw_field *entry) {
    uint8_t *presence = open->base + HW_GET(entry, NATIVE_ENTRY_PRESENCE_OFFSET);
    uint32_t kind = HW_GET(entry, ENTRY_PRESENCE), number = HW_GET(entry, ENTRY_NUMBER);
    bool again;

    if (kind == HW_ADT_PRESENCE_HASBIT) *presence = 1;
    if (kind != HW_ADT_PRESENCE_CASE) return false;
    again = twin_count(open->type, presence) == number;
    twin_set_count(open->type, presence, number);
    return again;
}

/* Stores a field that the table has. `value` is its value; or its length, if it has one, and `at` its first byte. */
static bool put_field(struct twin_unit *unit, struct open *open, const struct hw_field *entry, uint32_t wire,
                      uint64_t value, const uint8_t *at) {
    uint32_t bit = HW_GET(entry, NATIVE_ENTRY_HASBIT), length = (uint32_t)value;
    bool seen = open->seen[bit / 32] >> bit % 32 & 1;
    bool repeated = HW_GET(entry, ENTRY_REPEATED), pointer = HW_GET(entry, NATIVE_ENTRY_POINTER);
    bool packed = wire == 2 && twin_is_scalar(entry) && repeated;
    uint8_t *slot = open->base + HW_GET(entry, ENTRY_OFFSET);

    if (wire != twin_wire_type(entry) && !packed) return twin_fail(unit, HW_STATUS_BAD_WIRE_TYPE);
    open->seen[bit / 32] |= 1u << bit % 32;
    if (repeated && !enter(unit, open, entry, seen)) return false;
    if (packed) return put_packed(unit, open, entry, at, at + length);
    bool again = !repeated && mark(open, entry);

    if (repeated && !(slot = next_element(unit, open, entry))) return false;
    if (HW_GET(entry, ENTRY_TYPE) == HW_TYPE_MESSAGE)
        return put_message(unit, open, entry, slot, again, at, at + length);
    if (!twin_is_scalar(entry))
        return twin_put_long(unit, open->type, entry, slot,
                             pointer && !(repeated && HW_GET(entry, NATIVE_ENTRY_FIXED_LENGTH)), at, length);
    if (pointer && !repeated) {
        uint8_t *block = twin_allocate(unit, 1u << HW_GET(entry, NATIVE_ENTRY_SIZE_LOG2));
        if (!block) return false;
        twin_put_pointer(slot, block);
        slot = block;
    }
    return twin_put_scalar(unit, entry, slot, value);
}

static bool complete(struct twin_unit *unit, const struct open *open) {
    uint32_t required = HW_GET(open->type, ADT_REQUIRED_COUNT);

    if (open->fixed && open->fixed_count != HW_GET(open->fixed, NATIVE_ENTRY_MAX_COUNT))
        return twin_fail(unit, HW_STATUS_DOES_NOT_FIT);
    for (uint32_t bit = 0; bit < required; bit++)
        if (!(open->seen[bit / 32] >> bit % 32 & 1)) return twin_fail(unit, HW_STATUS_MISSING_REQUIRED);
    return true;
}

static bool parse(struct twin_unit *unit, const struct hw_type *type, uint8_t *base, const uint8_t *at,
                  const uint8_t *end) {
    struct open open = {.type = type, .base = base};

    while (at < end) {
        uint64_t key, value = 0;
        if (!twin_varint(unit, &at, end, &key)) return false;
        uint32_t wire = key & 7, skipped = 0;
        if (key > UINT32_MAX) return twin_fail(unit, HW_STATUS_VARINT_OVERFLOW);
        if (key >> 3 == 0) return twin_fail(unit, HW_STATUS_FIELD_NUMBER_ZERO);
        if (wire != 0 && wire != 1 && wire != 2 && wire != 5) /* nanopb has no groups */
            return twin_fail(unit, HW_STATUS_BAD_WIRE_TYPE);
        if ((wire == 0 || wire == 2) && !twin_varint(unit, &at, end, &value)) return false;
        skipped = wire == 1 ? 8 : wire == 5 ? 4 : 0;
        if ((uint64_t)(end - at) < (wire == 2 ? value : skipped)) return twin_fail(unit, HW_STATUS_BAD_LENGTH);
        memcpy(&value, at, skipped);
        at += skipped;
        const struct hw_field *entry = hw_type_find(type, (uint32_t)(key >> 3));
        if (entry && !put_field(unit, &open, entry, wire, value, at)) return false;
        at += wire == 2 ? value : 0;
    }
    return complete(unit, &open);
}

int hw_nanopb_unit_decode(const struct hw_type *type, void *message, const void *input, uint32_t length, uint32_t *top,
                          uint32_t limit) {
    struct twin_unit unit = {.top = hw_object_round(*top), .limit = limit, .status = HW_STATUS_OK};

    twin_begin(type, message, false);
    if (parse(&unit, type, message, input, (const uint8_t *)input + length)) *top = unit.top;
    return unit.status;
}
