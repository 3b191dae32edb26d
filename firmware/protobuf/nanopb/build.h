/* Steps of building tables. Only for the files of this folder. */
#ifndef HW_PROTOBUF_NANOPB_BUILD_H
#define HW_PROTOBUF_NANOPB_BUILD_H

#include "protobuf/nanopb/fields.h"
#include "protobuf/nanopb/tables.h"

/* An initial record of 16 bytes (InitialRecord of DescriptorLayout.scala). */
struct hw_nanopb_record {
    uint16_t offset, length;
    uint8_t data[HW_ADT_INITIAL_MAX_DATA];
};

/* Memory in which tables grow upwards. Behind `top` lies scratch space for the time of building. */
struct hw_nanopb_memory {
    uint8_t *base, *top, *limit;
};

/* Returns HW_NANOPB_OK if a table can describe this type, submessages aside, else the reason. Sets `*decode_only` if
 * tables cannot express how nanopb serializes the type. */
enum hw_nanopb_reason hw_nanopb_survey(const pb_msgdesc_t *descriptor, bool *decode_only);

/* The index of a hash table's last slot (the number of slots is a power of two), and the longest distance of a field
 * from its own slot. */
struct hw_nanopb_hash {
    uint32_t last_slot, max_probe;
};

/* Finds the hash table with the shortest probes. `scratch` has hw_nanopb_hash_scratch(fields) words: 4 times the
 * fields, rounded up to a power of two, at least 1. */
struct hw_nanopb_hash hw_nanopb_hash(const pb_msgdesc_t *descriptor, uint32_t *scratch);
uint32_t hw_nanopb_hash_scratch(uint32_t fields);

/* Writes the initial records of a type at `memory->top`. Returns their count, or -1 if there is no room. `*data`
 * becomes the number of records that carry data. */
int32_t hw_nanopb_initial(const pb_msgdesc_t *descriptor, const struct hw_nanopb_memory *memory, uint32_t *data);

/* Sets a bit field of a structure, which must be 0 before. */
#define HW_NANOPB_PUT(words, NAME, value)                                                              \
    ((words)[HW_##NAME##_OFFSET / 4] |= ((uint32_t)(value) & (UINT32_MAX >> (32 - HW_##NAME##_WIDTH))) \
                                        << HW_##NAME##_BIT)

#endif
