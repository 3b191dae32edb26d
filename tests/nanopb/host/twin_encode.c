#include "twin.h"
#include "protobuf/nanopb/unit.h"

/* The message is written backwards: the bytes from `start` on are complete. */
struct output {
    uint8_t *first, *start;
    uint32_t depth;
    int status;
};

static bool fail(struct output *output, int status) {
    output->status = status;
    return false;
}

static bool put_bytes(struct output *output, const void *bytes, size_t count) {
    if ((size_t)(output->start - output->first) < count) return fail(output, HW_STATUS_OUTPUT_FULL);
    output->start -= count;
    if (count) memcpy(output->start, bytes, count);
    return true;
}

static bool put_varint(struct output *output, uint64_t value) {
    uint8_t bytes[10];
    size_t count = 0;

    for (; value > 0x7f; value >>= 7) bytes[count++] = (uint8_t)(value | 0x80);
    bytes[count++] = (uint8_t)value;
    return put_bytes(output, bytes, count);
}

static bool put_message(struct output *output, const struct hw_type *type, const uint8_t *base);

static const uint8_t *pointer_at(const uint8_t *slot) {
    const uint8_t *pointer;

    memcpy(&pointer, slot, sizeof(pointer));
    return pointer;
}

static bool is_fixed(const struct hw_field *entry) {
    return HW_GET(entry, ENTRY_TYPE) == HW_TYPE_FIXED32 || HW_GET(entry, ENTRY_TYPE) == HW_TYPE_FIXED64;
}

static bool put_scalar(struct output *output, const struct hw_field *entry, const uint8_t *slot) {
    uint32_t bytes = 1u << HW_GET(entry, NATIVE_ENTRY_SIZE_LOG2);
    uint64_t value = 0;

    memcpy(&value, slot, bytes);
    if (is_fixed(entry)) return put_bytes(output, &value, bytes);
    switch (HW_GET(entry, ENTRY_TYPE)) {
        case HW_TYPE_BOOL:
            value = value != 0;
            break;
        case HW_TYPE_INT32:
            value = (uint64_t)((int64_t)(value << (64 - 8 * bytes)) >> (64 - 8 * bytes));
            break;
        case HW_TYPE_SINT32:
        case HW_TYPE_SINT64:
            value = (uint64_t)((int64_t)(value << (64 - 8 * bytes)) >> (64 - 8 * bytes));
            value = value << 1 ^ -(value >> 63);
            break;
        default:
            break;
    }
    return put_varint(output, value);
}

/* Puts a value with its length; `at` is NULL if it is empty. */
static bool put_long(struct output *output, const struct hw_type *type, const struct hw_field *entry, const uint8_t *at,
                     bool pointer) {
    uint32_t size = HW_GET(entry, NATIVE_ENTRY_ELEMENT_SIZE), count_bytes = twin_count_bytes(type);
    size_t length = 0;

    if (!at) return put_varint(output, 0);
    if (HW_GET(entry, NATIVE_ENTRY_FIXED_LENGTH)) {
        length = size;
    } else if (HW_GET(entry, ENTRY_TYPE) == HW_TYPE_BYTES) {
        length = twin_count(type, at);
        if (!pointer && length > size - count_bytes) return fail(output, HW_STATUS_DOES_NOT_FIT);
        at += count_bytes;
    } else {
        while ((pointer || length < size) && at[length]) length++;
        if (!pointer && length == size) return fail(output, HW_STATUS_DOES_NOT_FIT);
    }
    return put_bytes(output, at, length) && put_varint(output, length);
}

static bool put_value(struct output *output, const struct hw_type *type, const struct hw_field *entry,
                      const uint8_t *at, bool pointer) {
    const uint8_t *end = output->start;

    if (twin_is_scalar(entry)) return put_scalar(output, entry, at);
    if (HW_GET(entry, ENTRY_TYPE) != HW_TYPE_MESSAGE) return put_long(output, type, entry, at, pointer);
    if (output->depth >= TWIN_MAX_DEPTH) return fail(output, HW_STATUS_DEPTH_EXCEEDED);
    output->depth++;
    if (!put_message(output, twin_sub_type(type, entry), at)) return false;
    output->depth--;
    return put_varint(output, (uint64_t)(end - output->start));
}

static bool put_list(struct output *output, const struct hw_type *type, const struct hw_field *entry,
                     const uint8_t *base) {
    const uint8_t *array = base + HW_GET(entry, ENTRY_OFFSET);
    bool pointer = HW_GET(entry, NATIVE_ENTRY_POINTER), fixed = HW_GET(entry, NATIVE_ENTRY_FIXED_COUNT);
    uint32_t most = twin_most(entry), size = twin_element(type, entry), key = HW_GET(entry, ENTRY_KEY);
    uint32_t count = fixed ? most : twin_count(type, base + HW_GET(entry, NATIVE_ENTRY_PRESENCE_OFFSET));
    bool referred = pointer && !twin_is_scalar(entry) && HW_GET(entry, ENTRY_TYPE) != HW_TYPE_MESSAGE &&
                    !HW_GET(entry, NATIVE_ENTRY_FIXED_LENGTH);
    const uint8_t *end = output->start;

    if (pointer && !(array = pointer_at(array))) return true;
    if (count == 0) return true;
    if (!pointer && count > most) return fail(output, HW_STATUS_DOES_NOT_FIT);
    for (uint32_t i = count; i-- > 0;) {
        const uint8_t *at = array + (size_t)i * size;
        if (!put_value(output, type, entry, referred ? pointer_at(at) : at, pointer)) return false;
        if (!HW_GET(entry, ENTRY_PACKED) && !put_varint(output, key)) return false;
    }
    return !HW_GET(entry, ENTRY_PACKED) ||
           (put_varint(output, (uint64_t)(end - output->start)) && put_varint(output, key));
}

/* Returns whether the value is zero or empty, so that proto3 omits it. */
static bool is_zero(const struct hw_type *type, const struct hw_field *entry, const uint8_t *slot) {
    uint32_t bytes = 1u << HW_GET(entry, NATIVE_ENTRY_SIZE_LOG2);

    if (HW_GET(entry, ENTRY_TYPE) == HW_TYPE_BYTES) return twin_count(type, slot) == 0;
    if (HW_GET(entry, ENTRY_TYPE) == HW_TYPE_STRING) return slot[0] == 0;
    for (uint32_t i = 0; i < bytes; i++)
        if (slot[i]) return false;
    return true;
}

static bool present(const struct hw_type *type, const struct hw_field *entry, const uint8_t *base) {
    const uint8_t *presence = base + HW_GET(entry, NATIVE_ENTRY_PRESENCE_OFFSET);

    switch (HW_GET(entry, ENTRY_PRESENCE)) {
        case HW_ADT_PRESENCE_HASBIT:
            return *presence != 0;
        case HW_ADT_PRESENCE_IMPLICIT:
            return !is_zero(type, entry, base + HW_GET(entry, ENTRY_OFFSET));
        case HW_ADT_PRESENCE_CASE:
            return twin_count(type, presence) == HW_GET(entry, ENTRY_KEY) >> 3;
        default:
            return true;
    }
}

static bool put_field(struct output *output, const struct hw_type *type, const struct hw_field *entry,
                      const uint8_t *base) {
    const uint8_t *at = base + HW_GET(entry, ENTRY_OFFSET);
    bool pointer = HW_GET(entry, NATIVE_ENTRY_POINTER);

    if (HW_GET(entry, ENTRY_REPEATED)) return put_list(output, type, entry, base);
    if (!present(type, entry, base)) return true;
    if (pointer && !(at = pointer_at(at)))
        return HW_GET(entry, ENTRY_PRESENCE) != HW_ADT_PRESENCE_REQUIRED || fail(output, HW_STATUS_MISSING_REQUIRED);
    return put_value(output, type, entry, at, pointer) && put_varint(output, HW_GET(entry, ENTRY_KEY));
}

static bool put_message(struct output *output, const struct hw_type *type, const uint8_t *base) {
    const struct hw_field *entry = hw_type_slots(type) + hw_type_slot_count(type);
    const struct hw_field *end = entry + HW_GET(type, ADT_FIELD_COUNT);

    for (; entry < end; entry++)
        if (!put_field(output, type, entry, base)) return false;
    return true;
}

int hw_nanopb_unit_encode(const struct hw_type *type, const void *message, void *output, uint32_t room,
                          uint8_t **start) {
    struct output to = {output, (uint8_t *)output + room, 0, HW_STATUS_OK};

    put_message(&to, type, message);
    *start = to.start;
    return to.status;
}
