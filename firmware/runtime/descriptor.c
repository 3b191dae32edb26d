#include "runtime/descriptor.h"

bool hw_type_valid(hw_ref table, uint32_t base, uint32_t limit)
{
    if (table % HW_ADT_ALIGNMENT != 0 || table < base || table > limit || limit - table < HW_ADT_HEADER_SIZE)
        return false;
    const struct hw_type *type = hw_pointer(table);
    uint32_t slots_log2 = HW_GET(type, ADT_SLOTS_LOG2);
    uint32_t room = (limit - table - HW_ADT_HEADER_SIZE) / HW_ADT_ENTRY_SIZE;

    return HW_GET(type, ADT_MAGIC) == HW_ADT_MAGIC && slots_log2 < 28 && 1u << slots_log2 <= room;
}

uint32_t hw_value_shift(uint32_t type)
{
    switch (type) {
    case HW_TYPE_BOOL:
        return 0;
    case HW_TYPE_DOUBLE:
    case HW_TYPE_INT64:
    case HW_TYPE_UINT64:
    case HW_TYPE_FIXED64:
    case HW_TYPE_SFIXED64:
    case HW_TYPE_SINT64:
        return 3;
    default:
        return 2;
    }
}
