/* Accelerator descriptor tables (ADTs), as units read them: a header, an open hash
 * table over the field number for who parses, the same fields by descending
 * number for who serializes, and the values of closed enums. heapwire.h has the layout. */
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

/* The bit field NAME (ADT_KLASS, ENTRY_TYPE ...) of the structure at `base`. */
#define HW_GET(base, NAME) \
    (((base)->words[HW_##NAME##_OFFSET / 4] >> HW_##NAME##_BIT) & (UINT32_MAX >> (32 - HW_##NAME##_WIDTH)))

static inline const struct hw_field *hw_type_slots(const struct hw_type *type)
{
    return (const struct hw_field *)(type + 1);
}

static inline uint32_t hw_type_slot_count(const struct hw_type *type)
{
    return HW_GET(type, ADT_LAST_SLOT) + 1;
}

/* ADT_FIELD_COUNT entries, the highest number first; they begin with the key, not the number. */
static inline const struct hw_field *hw_type_ordered(const struct hw_type *type)
{
    return hw_type_slots(type) + hw_type_slot_count(type);
}

/* The slot of a field number in a hash table whose last one, of a power of two, has this number. */
static inline uint32_t hw_type_slot(uint32_t number, uint32_t last)
{
    return (number ^ number >> HW_ADT_FOLD0 ^ number >> HW_ADT_FOLD1) & last;
}

/* The field with this number, or NULL. */
static inline const struct hw_field *hw_type_find(const struct hw_type *type, uint32_t number)
{
    const struct hw_field *slots = hw_type_slots(type);
    uint32_t last = HW_GET(type, ADT_LAST_SLOT), slot = hw_type_slot(number, last);
    uint32_t probes = HW_GET(type, ADT_MAX_PROBE);

    for (;; probes--, slot = (slot + 1) & last) {
        uint32_t found = HW_GET(&slots[slot], ENTRY_NUMBER);
        if (found == number)
            return &slots[slot];
        if (found == 0 || probes == 0)
            return NULL;
    }
}

/* The type of a message or group field. */
static inline const struct hw_type *hw_field_type(const struct hw_type *type, const struct hw_field *field)
{
    return hw_pointer(hw_reference(type) + HW_GET(field, ENTRY_SUB_TABLE));
}

/* ADT_ENUM_LISTS counts in these. What lies there: for each field of a closed enum its number, how many
 * values, the values in ascending order; then a 0. */
#define HW_ENUM_LISTS_UNIT 16

/* Whether a closed enum declares `value`; false for a field without a list. */
bool hw_enum_declares(const struct hw_type *type, uint32_t number, int32_t value);

/* True if a managed table with this address lies, whole but for what is behind its hash, within [base, limit) and is well
 * formed. */
bool hw_type_valid(hw_ref table, uint32_t base, uint32_t limit);

/* The same, and its ordered entries lie there, too. */
bool hw_type_ordered_valid(hw_ref table, uint32_t base, uint32_t limit);

/* Whether values of type HW_TYPE_* are references. */
static inline bool hw_type_is_reference(uint32_t type)
{
    return type >= HW_TYPE_STRING && type <= HW_TYPE_BYTES;
}

/* The wire type of one value of type HW_TYPE_*. */
uint32_t hw_type_wire(uint32_t type);

/* log2 of the bytes of a value of type HW_TYPE_*, as an object or an array holds it. */
uint32_t hw_value_shift(uint32_t type);

#endif
