#include "twin_decode.h"

bool twin_fail(struct twin_unit *unit, int status) {
    unit->status = status;
    return false;
}

bool twin_varint(struct twin_unit *unit, const uint8_t **at, const uint8_t *end, uint64_t *value) {
    *value = 0;
    for (uint32_t i = 0;; i++) {
        if (*at == end) return twin_fail(unit, HW_STATUS_TRUNCATED);
        uint8_t byte = *(*at)++;
        if (i == 9 && byte > 1) return twin_fail(unit, HW_STATUS_VARINT_OVERFLOW);
        *value |= (uint64_t)(byte & 0x7f) << 7 * i;
        if (byte < 0x80) return true;
    }
}

/* ---- memory ---------------------------------------------------------------- */

uint8_t *twin_allocate(struct twin_unit *unit, uint32_t bytes) {
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

static uint32_t capacity_of(const uint8_t *block) {
    uint32_t capacity;

    memcpy(&capacity, block - BLOCK_HEADER, 4);
    return capacity;
}

uint8_t *twin_grow(struct twin_unit *unit, uint8_t *block, uint32_t bytes) {
    if (block && bytes <= capacity_of(block)) return block;
    uint8_t *moved = twin_allocate(unit, block ? 2 * bytes : bytes);

    if (moved && block) memcpy(moved, block, capacity_of(block));
    return moved;
}

void twin_put_pointer(uint8_t *slot, const void *pointer) { memcpy(slot, &pointer, sizeof(pointer)); }

uint8_t *twin_get_pointer(const uint8_t *slot) {
    uint8_t *pointer;

    memcpy(&pointer, slot, sizeof(pointer));
    return pointer;
}

void twin_begin(const struct hw_type *type, uint8_t *base, bool whole) {
    const uint8_t *record = (const uint8_t *)type + HW_GET(type, NATIVE_INITIAL);
    uint32_t count = HW_GET(type, NATIVE_INITIAL_COUNT), data = HW_GET(type, NATIVE_INITIAL_DATA);

    if (whole) memset(base, 0, HW_GET(type, ADT_OBJECT_SIZE));
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

static bool fits(uint64_t value, uint32_t bytes, bool is_signed) {
    if (bytes == 8) return true;
    if (is_signed)
        return (int64_t)value >= -((int64_t)1 << (8 * bytes - 1)) && (int64_t)value < (int64_t)1 << (8 * bytes - 1);
    return value >> 8 * bytes == 0;
}

bool twin_put_scalar(struct twin_unit *unit, const struct hw_field *entry, uint8_t *slot, uint64_t value) {
    uint32_t bytes = 1u << HW_GET(entry, NATIVE_ENTRY_SIZE_LOG2);

    switch (HW_GET(entry, ENTRY_TYPE)) {
        case HW_TYPE_BOOL:
            if (!fits(value, 4, false)) return twin_fail(unit, HW_STATUS_DOES_NOT_FIT);
            *slot = value != 0;
            return true;
        case HW_TYPE_INT32:
            value = (uint64_t)(int64_t)(int32_t)value;
            if (!fits(value, bytes, true)) return twin_fail(unit, HW_STATUS_DOES_NOT_FIT);
            break;
        case HW_TYPE_SINT32:
        case HW_TYPE_SINT64:
            value = value >> 1 ^ -(value & 1);
            if (!fits(value, bytes, true)) return twin_fail(unit, HW_STATUS_DOES_NOT_FIT);
            break;
        case HW_TYPE_UINT32:
            if (!fits(value, bytes, false)) return twin_fail(unit, HW_STATUS_DOES_NOT_FIT);
            break;
        default:
            break;
    }
    memcpy(slot, &value, bytes);
    return true;
}

bool twin_get_scalar(struct twin_unit *unit, const struct hw_field *entry, const uint8_t **at, const uint8_t *end,
                     uint64_t *value) {
    uint32_t type = HW_GET(entry, ENTRY_TYPE);
    uint32_t bytes = type == HW_TYPE_FIXED32 ? 4 : type == HW_TYPE_FIXED64 ? 8 : 0;

    if (!bytes) return twin_varint(unit, at, end, value);
    if (end - *at < bytes) return twin_fail(unit, HW_STATUS_TRUNCATED);
    *value = 0;
    memcpy(value, *at, bytes);
    *at += bytes;
    return true;
}

uint32_t twin_wire_type(const struct hw_field *entry) {
    switch (HW_GET(entry, ENTRY_TYPE)) {
        case HW_TYPE_FIXED32:
            return 5;
        case HW_TYPE_FIXED64:
            return 1;
        default:
            return twin_is_scalar(entry) ? 0 : 2;
    }
}

bool twin_put_long(struct twin_unit *unit, const struct hw_type *type, const struct hw_field *entry, uint8_t *slot,
                   bool pointer, const uint8_t *input, uint32_t length) {
    uint32_t size = HW_GET(entry, NATIVE_ENTRY_ELEMENT_SIZE);
    bool fixed = HW_GET(entry, NATIVE_ENTRY_FIXED_LENGTH), text = HW_GET(entry, ENTRY_TYPE) == HW_TYPE_STRING;
    uint32_t header = text || fixed ? 0 : twin_count_bytes(type);
    uint64_t needed = fixed ? size : (uint64_t)header + length + text;

    if ((fixed && length != 0 && length != size) || (header == 2 && length > UINT16_MAX))
        return twin_fail(unit, HW_STATUS_DOES_NOT_FIT);
    if (pointer) {
        uint8_t *block = needed < UINT32_MAX ? twin_allocate(unit, (uint32_t)needed) : NULL;
        if (!block) return twin_fail(unit, HW_STATUS_FLEXIBLE_ARENA_FULL);
        twin_put_pointer(slot, block);
        slot = block;
    } else if (needed > size) {
        return twin_fail(unit, HW_STATUS_DOES_NOT_FIT);
    }
    if (fixed && length == 0) memset(slot, 0, size);
    if (header) twin_set_count(type, slot, length);
    memcpy(slot + header, input, length);
    if (text) slot[length] = 0;
    return true;
}
