/* The fields of a nanopb message type, one after the other, as facts about its struct. */
#ifndef HW_PROTOBUF_NANOPB_FIELDS_H
#define HW_PROTOBUF_NANOPB_FIELDS_H

#include <pb_common.h>
#include <stdbool.h>
#include <stdint.h>

struct hw_nanopb_field {
    pb_field_iter_t iter; /* tag, type, data_size, array_size, submsg_desc; no struct: its pointers are NULL */
    uint32_t offset;      /* of the field in the struct */
    uint32_t presence;    /* offset of the has-flag, count or which ... */
    bool has_presence;    /* ... if there is one */
    bool fixed_count;     /* repeated, without a count */
};

/* The field with the lowest number; false: the message has none. */
bool hw_nanopb_first(struct hw_nanopb_field *field, const pb_msgdesc_t *descriptor);
bool hw_nanopb_next(struct hw_nanopb_field *field);

static inline bool hw_nanopb_is(const struct hw_nanopb_field *field, pb_type_t allocation, pb_type_t repetition)
{
    return PB_ATYPE(field->iter.type) == allocation && PB_HTYPE(field->iter.type) == repetition;
}

static inline bool hw_nanopb_is_pointer(const struct hw_nanopb_field *field)
{
    return PB_ATYPE(field->iter.type) == PB_ATYPE_POINTER;
}

static inline bool hw_nanopb_is_repeated(const struct hw_nanopb_field *field)
{
    return PB_HTYPE(field->iter.type) == PB_HTYPE_REPEATED;
}

/* A submessage that lies in the struct, once, and is part of it from the start. */
static inline bool hw_nanopb_is_inner(const struct hw_nanopb_field *field)
{
    return PB_LTYPE_IS_SUBMSG(field->iter.type) && PB_ATYPE(field->iter.type) == PB_ATYPE_STATIC &&
           PB_HTYPE(field->iter.type) != PB_HTYPE_REPEATED && PB_HTYPE(field->iter.type) != PB_HTYPE_ONEOF;
}

/* Bytes that the field takes in the struct, has-flag and count apart. */
uint32_t hw_nanopb_extent(const struct hw_nanopb_field *field);

/* Natural alignment of the field in the struct, and of a whole struct. */
uint32_t hw_nanopb_field_alignment(const struct hw_nanopb_field *field);
uint32_t hw_nanopb_alignment(const pb_msgdesc_t *descriptor);

/* Bytes of the struct up to its last member's end. */
uint32_t hw_nanopb_struct_end(const pb_msgdesc_t *descriptor);

#endif
