#include <string.h>

#include "runtime/schema_blob.h"

#define LIMIT (1u << HW_ADT_OBJECT_SIZE_WIDTH) /* of offsets, and of fields */

/* A bit for each byte of the object that something lies in, and for each hasbit that a field has. */
static uint8_t bytes_taken[LIMIT / 8], hasbits_taken[LIMIT / 8];

static bool take(uint8_t *map, uint32_t index)
{
    uint8_t bit = (uint8_t)(1u << index % 8);
    bool taken = map[index / 8] & bit;

    map[index / 8] |= bit;
    return !taken;
}

/* Takes a part of the object; false if it is not aligned, not whole within it, or taken. */
static bool take_bytes(uint32_t object_size, uint32_t offset, uint32_t bytes, uint32_t alignment)
{
    if (offset % alignment != 0 || offset < HW_OBJECT_HEADER_SIZE || offset > object_size || bytes > object_size - offset)
        return false;
    for (uint32_t i = 0; i < bytes; i++)
        if (!take(bytes_taken, offset + i))
            return false;
    return true;
}

static bool take_optional(uint32_t object_size, uint32_t offset)
{
    return offset == HW_ADT_NO_OFFSET || take_bytes(object_size, offset, 4, 4);
}

static bool entry_sound(const struct hw_type *type, const struct hw_field *field)
{
    uint32_t kind = HW_GET(field, ENTRY_TYPE), hasbit = HW_GET(field, ENTRY_HASBIT);
    bool repeated = HW_GET(field, ENTRY_REPEATED);

    if (kind < HW_TYPE_DOUBLE || kind > HW_TYPE_SINT64 || HW_GET(field, ENTRY_HAS_HASBIT) == repeated ||
        hasbit >= HW_GET(type, ADT_FIELD_COUNT))
        return false;
    uint32_t bytes = repeated ? 4 : 1u << hw_value_shift(kind);

    if (!repeated && hasbit / 32 >= HW_GET(type, ADT_HASBITS_WORDS))
        return false;
    if (!HW_GET(field, ENTRY_UNSUPPORTED) && hasbit / 32 >= HW_ADT_MAX_HASBITS_WORDS)
        return false;
    return take(hasbits_taken, hasbit) && take_bytes(HW_GET(type, ADT_OBJECT_SIZE), HW_GET(field, ENTRY_OFFSET), bytes, bytes);
}

bool schema_table_sound(const struct hw_type *type)
{
    uint32_t size = HW_GET(type, ADT_OBJECT_SIZE), words = HW_GET(type, ADT_HASBITS_WORDS), fields = 0;
    const struct hw_field *field = hw_type_slots(type), *end = field + hw_type_slot_count(type);

    memset(bytes_taken, 0, size / 8 + 1);
    memset(hasbits_taken, 0, HW_GET(type, ADT_FIELD_COUNT) / 8 + 1);
    if (size < HW_OBJECT_HEADER_SIZE || size % HW_OBJECT_ALIGNMENT != 0 || HW_GET(type, ADT_SHIFT) == 0)
        return false;
    if ((words != 0 && !take_bytes(size, HW_GET(type, ADT_HASBITS_OFFSET), 4 * words, 4)) ||
        !take_optional(size, HW_GET(type, ADT_MEMOIZED_SIZE_OFFSET)) ||
        !take_optional(size, HW_GET(type, ADT_MEMOIZED_IS_INITIALIZED_OFFSET)) ||
        !take_optional(size, HW_GET(type, ADT_UNKNOWN_FIELDS_OFFSET)))
        return false;
    for (; field < end; field++)
        if (HW_GET(field, ENTRY_NUMBER) != 0) {
            if (!entry_sound(type, field))
                return false;
            fields++;
        }
    return fields == HW_GET(type, ADT_FIELD_COUNT);
}
