#include "twin.h"
#include "units/nanopb/unit.h"

#define SEEN_WORDS 16
#define BLOCK_HEADER 8u

struct unit {
    uint32_t top, limit;
    uint32_t depth;
    int status;
};

/* A message while its fields come. */
struct open {
    const struct hw_type *type;
    uint8_t *base;
    uint32_t seen[SEEN_WORDS];
    const struct hw_field *fixed; /* the list without a count that is open, or NULL */
    uint32_t fixed_count;
};

static bool fail(struct unit *unit, int status)
{
    unit->status = status;
    return false;
}

static bool parse(struct unit *unit, const struct hw_type *type, uint8_t *base, const uint8_t *at, const uint8_t *end);

static bool varint(struct unit *unit, const uint8_t **at, const uint8_t *end, uint64_t *value)
{
    *value = 0;
    for (uint32_t i = 0;; i++) {
        if (*at == end)
            return fail(unit, HW_STATUS_TRUNCATED);
        uint8_t byte = *(*at)++;
        if (i == 9 && byte > 1)
            return fail(unit, HW_STATUS_VARINT_OVERFLOW);
        *value |= (uint64_t)(byte & 0x7f) << 7 * i;
        if (byte < 0x80)
            return true;
    }
}

/* ---- memory ---------------------------------------------------------------- */

static uint8_t *allocate(struct unit *unit, uint32_t bytes)
{
    uint32_t capacity = hw_object_round(bytes);

    if (bytes > UINT32_MAX / 4 || unit->limit - unit->top < BLOCK_HEADER + capacity) {
        unit->status = HW_STATUS_FLEXIBLE_ARENA_FULL;
        return NULL;
    }
    uint8_t *block = (uint8_t *)hw_pointer(unit->top) + BLOCK_HEADER;
    unit->top += BLOCK_HEADER + capacity;
    memcpy(block - BLOCK_HEADER, &capacity, 4);
    return block;
}

static uint32_t capacity_of(const uint8_t *block)
{
    uint32_t capacity;

    memcpy(&capacity, block - BLOCK_HEADER, 4);
    return capacity;
}

/* `block`, or one with more room that has its bytes. */
static uint8_t *grow(struct unit *unit, uint8_t *block, uint32_t bytes)
{
    if (block && bytes <= capacity_of(block))
        return block;
    uint8_t *moved = allocate(unit, block ? 2 * bytes : bytes);

    if (moved && block)
        memcpy(moved, block, capacity_of(block));
    return moved;
}

static void put_pointer(uint8_t *slot, const void *pointer)
{
    memcpy(slot, &pointer, sizeof(pointer));
}

static uint8_t *get_pointer(const uint8_t *slot)
{
    uint8_t *pointer;

    memcpy(&pointer, slot, sizeof(pointer));
    return pointer;
}

/* As the initial records say; a struct in memory that is not one yet is cleared as a whole. */
static void begin(const struct hw_type *type, uint8_t *base, bool whole)
{
    const uint8_t *record = (const uint8_t *)type + HW_GET(type, NATIVE_INITIAL);
    uint32_t count = HW_GET(type, NATIVE_INITIAL_COUNT), data = HW_GET(type, NATIVE_INITIAL_DATA);

    if (whole)
        memset(base, 0, HW_GET(type, ADT_OBJECT_SIZE));
    for (uint32_t i = 0; i < count; i++, record += HW_ADT_INITIAL_RECORD_SIZE) {
        uint16_t place[2];
        memcpy(place, record, sizeof(place));
        if (i >= count - data)
            memcpy(base + place[0], record + HW_INITIAL_DATA_OFFSET, place[1]);
        else if (!whole)
            memset(base + place[0], 0, place[1]);
    }
}

/* ---- values ---------------------------------------------------------------- */

static bool fits(uint64_t value, uint32_t bytes, bool is_signed)
{
    if (bytes == 8)
        return true;
    if (is_signed)
        return (int64_t)value >= -((int64_t)1 << (8 * bytes - 1)) && (int64_t)value < (int64_t)1 << (8 * bytes - 1);
    return value >> 8 * bytes == 0;
}

static bool put_scalar(struct unit *unit, const struct hw_field *entry, uint8_t *slot, uint64_t value)
{
    uint32_t bytes = 1u << HW_GET(entry, NATIVE_ENTRY_SIZE_LOG2);

    switch (HW_GET(entry, ENTRY_TYPE)) {
    case HW_TYPE_BOOL:
        if (!fits(value, 4, false))
            return fail(unit, HW_STATUS_DOES_NOT_FIT);
        *slot = value != 0;
        return true;
    case HW_TYPE_INT32:
        value = (uint64_t)(int64_t)(int32_t)value;
        if (!fits(value, bytes, true))
            return fail(unit, HW_STATUS_DOES_NOT_FIT);
        break;
    case HW_TYPE_SINT32:
    case HW_TYPE_SINT64:
        value = value >> 1 ^ -(value & 1);
        if (!fits(value, bytes, true))
            return fail(unit, HW_STATUS_DOES_NOT_FIT);
        break;
    case HW_TYPE_UINT32:
        if (!fits(value, bytes, false))
            return fail(unit, HW_STATUS_DOES_NOT_FIT);
        break;
    default:
        break;
    }
    memcpy(slot, &value, bytes);
    return true;
}

static bool get_scalar(struct unit *unit, const struct hw_field *entry, const uint8_t **at, const uint8_t *end, uint64_t *value)
{
    uint32_t type = HW_GET(entry, ENTRY_TYPE);
    uint32_t bytes = type == HW_TYPE_FIXED32 ? 4 : type == HW_TYPE_FIXED64 ? 8 : 0;

    if (!bytes)
        return varint(unit, at, end, value);
    if (end - *at < bytes)
        return fail(unit, HW_STATUS_TRUNCATED);
    *value = 0;
    memcpy(value, *at, bytes);
    *at += bytes;
    return true;
}

static uint32_t wire_type(const struct hw_field *entry)
{
    switch (HW_GET(entry, ENTRY_TYPE)) {
    case HW_TYPE_FIXED32:
        return 5;
    case HW_TYPE_FIXED64:
        return 1;
    default:
        return twin_is_scalar(entry) ? 0 : 2;
    }
}

/* A string, bytes or message of `length` bytes into its place: in the struct, or wherever its pointer is to lie. */
static bool put_long(struct unit *unit, const struct open *open, const struct hw_field *entry, uint8_t *slot, bool pointer,
                     const uint8_t *input, uint32_t length)
{
    uint32_t size = HW_GET(entry, NATIVE_ENTRY_ELEMENT_SIZE);
    bool fixed = HW_GET(entry, NATIVE_ENTRY_FIXED_LENGTH), text = HW_GET(entry, ENTRY_TYPE) == HW_TYPE_STRING;
    uint32_t header = text || fixed ? 0 : twin_count_bytes(open->type);
    uint64_t needed = fixed ? size : (uint64_t)header + length + text;

    if (fixed && length != 0 && length != size)
        return fail(unit, HW_STATUS_DOES_NOT_FIT);
    if (pointer) {
        uint8_t *block = needed < UINT32_MAX ? allocate(unit, (uint32_t)needed) : NULL;
        if (!block)
            return fail(unit, HW_STATUS_FLEXIBLE_ARENA_FULL);
        put_pointer(slot, block);
        slot = block;
    } else if (needed > size) {
        return fail(unit, HW_STATUS_DOES_NOT_FIT);
    }
    if (fixed && length == 0)
        memset(slot, 0, size);
    if (header)
        twin_set_count(open->type, slot, length);
    memcpy(slot + header, input, length);
    if (text)
        slot[length] = 0;
    return true;
}

/* ---- fields ---------------------------------------------------------------- */

/* The place of the next element of a list; NULL: there is none. */
static uint8_t *next_element(struct unit *unit, struct open *open, const struct hw_field *entry)
{
    uint8_t *slot = open->base + HW_GET(entry, ENTRY_OFFSET), *counter = open->base + HW_GET(entry, NATIVE_ENTRY_PRESENCE_OFFSET);
    bool fixed = HW_GET(entry, NATIVE_ENTRY_FIXED_COUNT), pointer = HW_GET(entry, NATIVE_ENTRY_POINTER);
    uint32_t most = twin_most(entry), size = twin_element(open->type, entry);
    uint32_t count = fixed ? open->fixed_count : twin_count(open->type, counter);

    if (most && count >= most) {
        unit->status = HW_STATUS_DOES_NOT_FIT;
        return NULL;
    }
    if (pointer) {
        uint64_t bytes = (uint64_t)(count + 1) * size;
        uint8_t *block = bytes < UINT32_MAX ? grow(unit, count || !fixed ? get_pointer(slot) : NULL, (uint32_t)bytes) : NULL;
        if (!block) {
            unit->status = HW_STATUS_FLEXIBLE_ARENA_FULL;
            return NULL;
        }
        put_pointer(slot, block);
        slot = block;
    }
    if (fixed)
        open->fixed_count = count + 1;
    else
        twin_set_count(open->type, counter, count + 1);
    return slot + (size_t)count * size;
}

/* A list is entered. Of those without a count one is open at a time, and it is not returned to: nanopb has its own rules then. */
static bool enter(struct unit *unit, struct open *open, const struct hw_field *entry, bool seen)
{
    if (open->fixed && HW_GET(open->fixed, ENTRY_NUMBER) == HW_GET(entry, ENTRY_NUMBER))
        return true;
    if (open->fixed && open->fixed_count != HW_GET(open->fixed, NATIVE_ENTRY_MAX_COUNT))
        return fail(unit, HW_GET(entry, NATIVE_ENTRY_FIXED_COUNT) ? HW_STATUS_DOES_NOT_FIT : HW_STATUS_UNSUPPORTED);
    open->fixed = NULL;
    if (HW_GET(entry, NATIVE_ENTRY_FIXED_COUNT)) {
        if (seen)
            return fail(unit, HW_STATUS_UNSUPPORTED);
        open->fixed = entry;
        open->fixed_count = 0;
    }
    return true;
}

static bool put_packed(struct unit *unit, struct open *open, const struct hw_field *entry, const uint8_t *at, const uint8_t *end)
{
    if (at == end && HW_GET(entry, NATIVE_ENTRY_FIXED_COUNT))
        return fail(unit, HW_STATUS_UNSUPPORTED);
    while (at < end) {
        uint64_t value;
        uint8_t *slot = next_element(unit, open, entry);
        if (!slot || !get_scalar(unit, entry, &at, end, &value) || !put_scalar(unit, entry, slot, value))
            return false;
    }
    return true;
}

static bool put_message(struct unit *unit, struct open *open, const struct hw_field *entry, uint8_t *slot, bool again,
                        const uint8_t *at, const uint8_t *end)
{
    const struct hw_type *sub = twin_sub_type(open->type, entry);
    bool repeated = HW_GET(entry, ENTRY_REPEATED), pointer = HW_GET(entry, NATIVE_ENTRY_POINTER);
    bool ok;

    if (repeated) {
        begin(sub, slot, pointer);
    } else if (pointer) {
        uint8_t *block = allocate(unit, twin_stride(sub));
        if (!block)
            return false;
        put_pointer(slot, block);
        slot = block;
        begin(sub, slot, true);
    } else if (HW_GET(entry, ENTRY_IN_ONEOF) && !again) {
        begin(sub, slot, true);
    }
    if (unit->depth >= TWIN_MAX_DEPTH)
        return fail(unit, HW_STATUS_DEPTH_EXCEEDED);
    unit->depth++;
    ok = parse(unit, sub, slot, at, end);
    unit->depth--;
    return ok;
}

/* Has-flag or which. True if the oneof had this member before. */
static bool mark(struct open *open, const struct hw_field *entry)
{
    uint8_t *presence = open->base + HW_GET(entry, NATIVE_ENTRY_PRESENCE_OFFSET);
    uint32_t kind = HW_GET(entry, ENTRY_PRESENCE), number = HW_GET(entry, ENTRY_NUMBER);
    bool again;

    if (kind == HW_ADT_PRESENCE_HASBIT)
        *presence = 1;
    if (kind != HW_ADT_PRESENCE_CASE)
        return false;
    again = twin_count(open->type, presence) == number;
    twin_set_count(open->type, presence, number);
    return again;
}

/* A field that the table has: its value, or the first byte and the length of one that has a length. */
static bool put_field(struct unit *unit, struct open *open, const struct hw_field *entry, uint32_t wire, uint64_t value,
                      const uint8_t *at)
{
    uint32_t bit = HW_GET(entry, NATIVE_ENTRY_HASBIT), length = (uint32_t)value;
    bool seen = open->seen[bit / 32] >> bit % 32 & 1;
    bool repeated = HW_GET(entry, ENTRY_REPEATED), pointer = HW_GET(entry, NATIVE_ENTRY_POINTER);
    bool packed = wire == 2 && twin_is_scalar(entry) && repeated;
    uint8_t *slot = open->base + HW_GET(entry, ENTRY_OFFSET);

    if (wire != wire_type(entry) && !packed)
        return fail(unit, HW_STATUS_BAD_WIRE_TYPE);
    open->seen[bit / 32] |= 1u << bit % 32;
    if (repeated && !enter(unit, open, entry, seen))
        return false;
    if (packed)
        return put_packed(unit, open, entry, at, at + length);
    bool again = !repeated && mark(open, entry);

    if (repeated && !(slot = next_element(unit, open, entry)))
        return false;
    if (HW_GET(entry, ENTRY_TYPE) == HW_TYPE_MESSAGE)
        return put_message(unit, open, entry, slot, again, at, at + length);
    if (!twin_is_scalar(entry))
        return put_long(unit, open, entry, slot, pointer && !(repeated && HW_GET(entry, NATIVE_ENTRY_FIXED_LENGTH)), at, length);
    if (pointer && !repeated) {
        uint8_t *block = allocate(unit, 1u << HW_GET(entry, NATIVE_ENTRY_SIZE_LOG2));
        if (!block)
            return false;
        put_pointer(slot, block);
        slot = block;
    }
    return put_scalar(unit, entry, slot, value);
}

static bool complete(struct unit *unit, const struct open *open)
{
    uint32_t required = HW_GET(open->type, ADT_REQUIRED_COUNT);

    if (open->fixed && open->fixed_count != HW_GET(open->fixed, NATIVE_ENTRY_MAX_COUNT))
        return fail(unit, HW_STATUS_DOES_NOT_FIT);
    for (uint32_t bit = 0; bit < required; bit++)
        if (!(open->seen[bit / 32] >> bit % 32 & 1))
            return fail(unit, HW_STATUS_MISSING_REQUIRED);
    return true;
}

static bool parse(struct unit *unit, const struct hw_type *type, uint8_t *base, const uint8_t *at, const uint8_t *end)
{
    struct open open = {.type = type, .base = base};

    while (at < end) {
        uint64_t key, value = 0;
        if (!varint(unit, &at, end, &key))
            return false;
        uint32_t wire = key & 7, skipped = 0;
        if (key > UINT32_MAX)
            return fail(unit, HW_STATUS_VARINT_OVERFLOW);
        if (key >> 3 == 0)
            return fail(unit, HW_STATUS_FIELD_NUMBER_ZERO);
        if (wire != 0 && wire != 1 && wire != 2 && wire != 5) /* nanopb has no groups */
            return fail(unit, HW_STATUS_BAD_WIRE_TYPE);
        if ((wire == 0 || wire == 2) && !varint(unit, &at, end, &value))
            return false;
        skipped = wire == 1 ? 8 : wire == 5 ? 4 : 0;
        if ((uint64_t)(end - at) < (wire == 2 ? value : skipped))
            return fail(unit, HW_STATUS_BAD_LENGTH);
        memcpy(&value, at, skipped);
        at += skipped;
        const struct hw_field *entry = hw_type_find(type, (uint32_t)(key >> 3));
        if (entry && !put_field(unit, &open, entry, wire, value, at))
            return false;
        at += wire == 2 ? value : 0;
    }
    return complete(unit, &open);
}

int hw_nanopb_unit_decode(const struct hw_type *type, void *message, const void *input, uint32_t length, uint32_t *top,
                          uint32_t limit)
{
    struct unit unit = {.top = hw_object_round(*top), .limit = limit, .status = HW_STATUS_OK};

    begin(type, message, false);
    if (parse(&unit, type, message, input, (const uint8_t *)input + length))
        *top = unit.top;
    return unit.status;
}
