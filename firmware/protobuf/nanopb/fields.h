/* The fields of a nanopb message type, one after the other, with their places in the struct. */
#ifndef HW_PROTOBUF_NANOPB_FIELDS_H
#define HW_PROTOBUF_NANOPB_FIELDS_H

#include <pb_common.h>
#include <stdbool.h>
#include <stdint.h>

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

#endif
