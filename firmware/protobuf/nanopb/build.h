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

/* Writes the initial records of a type at `memory->top`. Returns their count, or -1 if there is no room. `*data`
 * becomes the number of records that carry data. */
int32_t hw_nanopb_initial(const pb_msgdesc_t *descriptor, const struct hw_nanopb_memory *memory, uint32_t *data);

/* Writes the table of a type at `memory->top`, with sub-table distances of 0, and moves `top` behind the table. Returns
 * NULL if there is no room. */
struct hw_type *hw_nanopb_table(const pb_msgdesc_t *descriptor, struct hw_nanopb_memory *memory);

/* Stores the distance to the table of `sub` in the entries of field `number`. Returns false if the distance does not
 * fit. */
bool hw_nanopb_link(struct hw_type *table, uint32_t number, const struct hw_type *sub);

/* Sets a bit field of a structure, which must be 0 before. */
#define HW_NANOPB_PUT(words, NAME, value)                                                              \
    ((words)[HW_##NAME##_OFFSET / 4] |= ((uint32_t)(value) & (UINT32_MAX >> (32 - HW_##NAME##_WIDTH))) \
                                        << HW_##NAME##_BIT)

#endif
