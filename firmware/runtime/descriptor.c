#include "runtime/descriptor.h"

__attribute__((hot)) bool hw_type_valid(hw_ref table, uint32_t base, uint32_t limit) {
    if (table % HW_ADT_ALIGNMENT != 0 || table < base || table > limit || limit - table < HW_ADT_HEADER_SIZE)
        return false;
    const struct hw_type *type = hw_pointer(table);
    uint32_t room = (limit - table - HW_ADT_HEADER_SIZE) / HW_ADT_ENTRY_SIZE;

    return HW_GET(type, ADT_MAGIC) == HW_ADT_MAGIC && HW_GET(type, ADT_MODEL) == HW_ADT_MODEL_MANAGED &&
           hw_type_slot_count(type) <= room;
}

__attribute__((hot)) bool hw_type_ordered_valid(hw_ref table, uint32_t base, uint32_t limit) {
    if (!hw_type_valid(table, base, limit)) return false;
    const struct hw_type *type = hw_pointer(table);
    uint32_t room = (limit - table - HW_ADT_HEADER_SIZE) / HW_ADT_ENTRY_SIZE;

    return HW_GET(type, ADT_FIELD_COUNT) <= room - hw_type_slot_count(type);
}

#define WIRE(name, code, wire, shift, list, encoding) [code] = wire,

uint32_t hw_type_wire(uint32_t type) {
    static const uint8_t wires[1 << HW_ENTRY_TYPE_WIDTH] = {HW_FIELD_TYPES(WIRE)};

    return wires[type];
}

bool hw_enum_declares(const struct hw_type *type, uint32_t number, int32_t value) {
    uint32_t distance = HW_GET(type, ADT_ENUM_LISTS);
    const uint32_t *list = (const uint32_t *)((const char *)type + distance * HW_ENUM_LISTS_UNIT);

    if (distance == 0) return false;
    while (list[0] != 0 && list[0] != number) list += 2 + list[1];
    if (list[0] == 0) return false;
    const int32_t *values = (const int32_t *)(list + 2);
    uint32_t low = 0, high = list[1];

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (values[middle] < value)
            low = middle + 1;
        else
            high = middle;
    }
    return low < list[1] && values[low] == value;
}
