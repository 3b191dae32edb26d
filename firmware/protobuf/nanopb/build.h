/* Steps of building tables. Only for the files of this folder. */
#ifndef HW_PROTOBUF_NANOPB_BUILD_H
#define HW_PROTOBUF_NANOPB_BUILD_H

#include <pb_common.h>
#include <stdbool.h>
#include <stdint.h>

#include "protobuf/nanopb/tables.h"

/* The fields of a nanopb message type, one after the other, with their places in the struct. */

struct hw_nanopb_field {
    /* tag, type, data_size, array_size, submsg_desc; its pointers are NULL, because it iterates without a struct */
    pb_field_iter_t iter;
    uint32_t offset;   /* of the field in the struct */
    uint32_t presence; /* offset of the has-flag, count or which */
    bool has_presence; /* whether there is such a member */
    bool fixed_count;  /* repeated, without a count */
};

/* Moves to the field with the lowest number, and hw_nanopb_next to the following one. Return false if there is none. */
bool hw_nanopb_first(struct hw_nanopb_field *field, const pb_msgdesc_t *descriptor);
bool hw_nanopb_next(struct hw_nanopb_field *field);

static inline bool hw_nanopb_is(const struct hw_nanopb_field *field, pb_type_t allocation, pb_type_t repetition) {
    return PB_ATYPE(field->iter.type) == allocation && PB_HTYPE(field->iter.type) == repetition;
}

static inline bool hw_nanopb_is_pointer(const struct hw_nanopb_field *field) {
    return PB_ATYPE(field->iter.type) == PB_ATYPE_POINTER;
}

static inline bool hw_nanopb_is_repeated(const struct hw_nanopb_field *field) {
    return PB_HTYPE(field->iter.type) == PB_HTYPE_REPEATED;
}

/* Returns whether the field is a single submessage inside the struct, there from the start. */
static inline bool hw_nanopb_is_inner(const struct hw_nanopb_field *field) {
    return PB_LTYPE_IS_SUBMSG(field->iter.type) && PB_ATYPE(field->iter.type) == PB_ATYPE_STATIC &&
           PB_HTYPE(field->iter.type) != PB_HTYPE_REPEATED && PB_HTYPE(field->iter.type) != PB_HTYPE_ONEOF;
}

/* Returns the bytes that the field takes in the struct, without has-flag and count. */
uint32_t hw_nanopb_extent(const struct hw_nanopb_field *field);

/* Return the natural alignment of the field in the struct, and of a whole struct. */
uint32_t hw_nanopb_field_alignment(const struct hw_nanopb_field *field);
uint32_t hw_nanopb_alignment(const pb_msgdesc_t *descriptor);

/* Returns the offset of the end of the struct's last member. */
uint32_t hw_nanopb_struct_end(const pb_msgdesc_t *descriptor);

/* An initial record of 16 bytes (InitialRecord of DescriptorLayout.scala). */
struct hw_nanopb_record {
    uint16_t offset, length;
    uint8_t data[HW_ADT_INITIAL_MAX_DATA];
};

/* Memory in which tables grow upwards. Behind `top` lies scratch space for the time of building. */
struct hw_nanopb_memory {
    uint8_t *base, *top, *limit;
};

/* Returns HW_NANOPB_OK if a table can describe this type, submessages aside, else the reason, HW_NANOPB_PACKED before
 * all others. Sets `*decode_only` if tables cannot express how nanopb serializes the type. */
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
