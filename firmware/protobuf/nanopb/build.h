/* Parts of the making of tables, for the files of this folder. */
#ifndef HW_PROTOBUF_NANOPB_BUILD_H
#define HW_PROTOBUF_NANOPB_BUILD_H

#include "protobuf/nanopb/fields.h"
#include "protobuf/nanopb/tables.h"

/* One of 16 bytes (InitialRecord of DescriptorLayout.scala). */
struct hw_nanopb_record {
    uint16_t offset, length;
    uint8_t data[HW_ADT_INITIAL_MAX_DATA];
};

/* Memory that tables grow into from below; what is needed only while they are made lies behind. */
struct hw_nanopb_memory {
    uint8_t *base, *top, *limit;
};

/* Whether a table can say this type, types in it apart. */
enum hw_nanopb_reason hw_nanopb_survey(const pb_msgdesc_t *descriptor, bool *decode_only);

/* Slots of a hash table, a power of two, less 1; and how far from its own one a field lies at most. */
struct hw_nanopb_hash {
    uint32_t last_slot, max_probe;
};

/* Finds the hash with the shortest probes. `scratch` has room for 4 times the fields, rounded up to a power of two; at least 1. */
struct hw_nanopb_hash hw_nanopb_hash(const pb_msgdesc_t *descriptor, uint32_t *scratch);
uint32_t hw_nanopb_hash_scratch(uint32_t fields);

/* Writes the initial records of a type from `memory->top` on; their count, or -1 without room. *data of them carry data. */
int32_t hw_nanopb_initial(const pb_msgdesc_t *descriptor, const struct hw_nanopb_memory *memory, uint32_t *data);

/* Sets a bit field of a structure. */
#define HW_NANOPB_PUT(words, NAME, value) \
    ((words)[HW_##NAME##_OFFSET / 4] |= ((uint32_t)(value) & (UINT32_MAX >> (32 - HW_##NAME##_WIDTH))) << HW_##NAME##_BIT)

#endif
