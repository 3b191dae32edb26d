/* Accelerator descriptor tables (ADTs), as units read them. A table has a header, an open hash table over the field
 * number for parsing, the same fields by descending number for serializing, and the values of closed enums. heapwire.h
 * has the layout. */
#ifndef HW_RUNTIME_DESCRIPTOR_H
#define HW_RUNTIME_DESCRIPTOR_H

#include <stdbool.h>

#include "runtime/object.h"

/* A message type: its ADT, 16-byte aligned. */
struct hw_type {
    uint32_t words[HW_ADT_HEADER_SIZE / 4];
};

struct hw_field {
    uint32_t words[HW_ADT_ENTRY_SIZE / 4];
};

/* Extracts the bit field NAME (ADT_KLASS, ENTRY_TYPE ...) of the structure at `base`. */
#define HW_GET(base, NAME) \
    (((base)->words[HW_##NAME##_OFFSET / 4] >> HW_##NAME##_BIT) & (UINT32_MAX >> (32 - HW_##NAME##_WIDTH)))

static inline const struct hw_field *hw_type_slots(const struct hw_type *type) {
    return (const struct hw_field *)(type + 1);
}

static inline uint32_t hw_type_slot_count(const struct hw_type *type) { return HW_GET(type, ADT_LAST_SLOT) + 1; }

/* Returns the ADT_FIELD_COUNT ordered entries, the highest number first. An ordered entry begins with the field's key
 * instead of its number. */
static inline const struct hw_field *hw_type_ordered(const struct hw_type *type) {
    return hw_type_slots(type) + hw_type_slot_count(type);
}

/* Returns the first slot to probe for a field number. `last` is the number of the hash table's last slot; the table's
 * size is a power of two. */
static inline uint32_t hw_type_slot(uint32_t number, uint32_t last) {
    return (number ^ number >> HW_ADT_FOLD0 ^ number >> HW_ADT_FOLD1) & last;
}

/* Returns the field with this number, or NULL. */
static inline const struct hw_field *hw_type_find(const struct hw_type *type, uint32_t number) {
    const struct hw_field *slots = hw_type_slots(type);
    uint32_t last = HW_GET(type, ADT_LAST_SLOT), slot = hw_type_slot(number, last);
    uint32_t probes = HW_GET(type, ADT_MAX_PROBE);

    for (;; probes--, slot = (slot + 1) & last) {
        uint32_t found = HW_GET(&slots[slot], ENTRY_NUMBER);
        if (found == number) return &slots[slot];
        if (found == 0 || probes == 0) return NULL;
    }
}

/* Returns the type of a message or group field. */
static inline const struct hw_type *hw_field_type(const struct hw_type *type, const struct hw_field *field) {
    return (const struct hw_type *)hw_pointer(hw_reference(type) + HW_GET(field, ENTRY_SUB_TABLE));
}

/* Unit of ADT_ENUM_LISTS in bytes. The lists hold, for each field of a closed enum, its number, the count of values and
 * the values in ascending order. A 0 ends the lists. */
#define HW_ENUM_LISTS_UNIT 16

/* Returns whether a closed enum declares `value`; false for a field without a list. */
bool hw_enum_declares(const struct hw_type *type, uint32_t number, int32_t value);

/* Returns whether the table at this address is a well-formed managed one and its header and hash lie within [base,
 * limit). What follows the hash is not checked. */
bool hw_type_valid(hw_ref table, uint32_t base, uint32_t limit);

/* Like hw_type_valid, and the table's ordered entries lie within [base, limit), too. */
bool hw_type_ordered_valid(hw_ref table, uint32_t base, uint32_t limit);

/* Returns whether values of type HW_TYPE_* are references. */
static inline bool hw_type_is_reference(uint32_t type) { return type >= HW_TYPE_STRING && type <= HW_TYPE_BYTES; }

/* Returns the wire type of one value of type HW_TYPE_*. */
uint32_t hw_type_wire(uint32_t type);

/* Returns log2 of the size in bytes of a value of type HW_TYPE_* in an object or an array. */
static inline uint32_t hw_value_shift(uint32_t type) {
#define HW_EIGHT_BYTES(name, code, wire, shift, list, encoding) | (uint32_t)(shift == 3) << code
    return type == HW_TYPE_BOOL ? 0 : 2 + ((0 HW_FIELD_TYPES(HW_EIGHT_BYTES)) >> type & 1);
#undef HW_EIGHT_BYTES
}

#endif
