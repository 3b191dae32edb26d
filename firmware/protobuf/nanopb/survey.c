#include "protobuf/nanopb/build.h"

#define FIELD_NUMBERS (1u << HW_ENTRY_NUMBER_WIDTH)
#define STRUCT_BYTES (1u << HW_ADT_OBJECT_SIZE_WIDTH)
#define COUNTS (1u << HW_NATIVE_ENTRY_MAX_COUNT_WIDTH)
#define HASBITS (1u << HW_NATIVE_ENTRY_HASBIT_WIDTH)

static bool power_of_two(uint32_t number) { return number != 0 && (number & (number - 1)) == 0; }

static bool scalar_fits(const pb_field_iter_t *iter) {
    switch (PB_LTYPE(iter->type)) {
        case PB_LTYPE_BOOL:
            return iter->data_size == 1;
        case PB_LTYPE_FIXED32:
            return iter->data_size == 4;
        case PB_LTYPE_FIXED64:
            return iter->data_size == 8;
        default:
            return iter->data_size <= 8 && power_of_two(iter->data_size);
    }
}

static uint32_t rounded(uint32_t size, uint32_t alignment) { return (size + alignment - 1) & ~(alignment - 1); }

/* Returns whether the field is not aligned in the struct, or in an array of such structs. */
static bool packed(const struct hw_nanopb_field *field) {
    const pb_msgdesc_t *inner = PB_LTYPE_IS_SUBMSG(field->iter.type) ? field->iter.submsg_desc : NULL;

    if (field->offset % hw_nanopb_field_alignment(field) != 0) return true;
    if (field->has_presence && PB_HTYPE(field->iter.type) != PB_HTYPE_OPTIONAL &&
        field->presence % sizeof(pb_size_t) != 0)
        return true;
    return inner && hw_nanopb_is_repeated(field) && field->iter.data_size % hw_nanopb_alignment(inner) != 0 &&
           PB_ATYPE(field->iter.type) != PB_ATYPE_CALLBACK;
}

static enum hw_nanopb_reason examine(const struct hw_nanopb_field *field) {
    const pb_field_iter_t *iter = &field->iter;
    pb_type_t kind = PB_LTYPE(iter->type);

    if (kind == PB_LTYPE_EXTENSION) return HW_NANOPB_EXTENSION;
    if (PB_ATYPE(iter->type) == PB_ATYPE_CALLBACK || kind == PB_LTYPE_SUBMSG_W_CB) return HW_NANOPB_CALLBACK;
    if (iter->tag >= FIELD_NUMBERS) return HW_NANOPB_FIELDS;
#ifndef PB_ENABLE_MALLOC
    if (hw_nanopb_is_pointer(field)) return HW_NANOPB_LAYOUT;
#endif
    if (hw_nanopb_is_repeated(field) && iter->array_size >= COUNTS) return HW_NANOPB_LAYOUT;
    if (kind <= PB_LTYPE_LAST_PACKABLE) return scalar_fits(iter) ? HW_NANOPB_OK : HW_NANOPB_LAYOUT;
    if (PB_LTYPE_IS_SUBMSG(iter->type))
        return iter->data_size ==
                           rounded(hw_nanopb_struct_end(iter->submsg_desc), hw_nanopb_alignment(iter->submsg_desc)) ||
                       hw_nanopb_struct_end(iter->submsg_desc) == 0
                   ? HW_NANOPB_OK
                   : HW_NANOPB_LAYOUT;
#ifdef PB_VALIDATE_UTF8
    if (kind == PB_LTYPE_STRING) return HW_NANOPB_UTF8;
#endif
    return iter->data_size < STRUCT_BYTES ? HW_NANOPB_OK : HW_NANOPB_LAYOUT;
}

enum hw_nanopb_reason hw_nanopb_survey(const pb_msgdesc_t *descriptor, bool *decode_only) {
    struct hw_nanopb_field field;
    enum hw_nanopb_reason reason = HW_NANOPB_OK;
    uint32_t fields = 0;

    if (!hw_nanopb_first(&field, descriptor)) return HW_NANOPB_OK;
    do {
        if (packed(&field)) return HW_NANOPB_PACKED;
        if (reason == HW_NANOPB_OK) reason = examine(&field);
        fields++;
        /* nanopb searches all of such a submessage for a value that is not zero. Tables cannot express this rule. */
        if (hw_nanopb_is_inner(&field) && PB_HTYPE(field.iter.type) == PB_HTYPE_OPTIONAL && !field.has_presence)
            *decode_only = true;
    } while (hw_nanopb_next(&field));
    if (reason != HW_NANOPB_OK) return reason;
    if (fields > HASBITS || descriptor->required_field_count > HW_ADT_MAX_REQUIRED) return HW_NANOPB_FIELDS;
    return hw_nanopb_struct_end(descriptor) < STRUCT_BYTES ? HW_NANOPB_OK : HW_NANOPB_LAYOUT;
}
