#include "protobuf/nanopb/build.h"

/* Extracts the field's place in the struct, which pb_field_iter_t does not give without a struct. pb.h describes the
 * formats. */
static void locate(struct hw_nanopb_field *field) {
    const pb_field_iter_t *iter = &field->iter;
    const uint32_t *info = &iter->descriptor->field_info[iter->field_info_index];
    int32_t back;

    switch (info[0] & 3) {
        case 0:
            field->offset = info[0] >> 16 & 0xff;
            back = (int32_t)(info[0] >> 24 & 0xf);
            break;
        case 1:
            field->offset = info[1] & 0xffff;
            back = (int32_t)(info[0] >> 28);
            break;
        default:
            field->offset = info[2];
            back = (int8_t)(info[1] & 0xff);
            break;
    }
    field->has_presence = back != 0;
    field->presence = back != 0 ? field->offset - (uint32_t)back : 0;
    field->fixed_count = back == 0 && PB_HTYPE(iter->type) == PB_HTYPE_REPEATED;
}

bool hw_nanopb_first(struct hw_nanopb_field *field, const pb_msgdesc_t *descriptor) {
    if (!pb_field_iter_begin(&field->iter, descriptor, NULL)) return false;
    locate(field);
    return true;
}

bool hw_nanopb_next(struct hw_nanopb_field *field) {
    if (!pb_field_iter_next(&field->iter)) return false;
    locate(field);
    return true;
}

uint32_t hw_nanopb_extent(const struct hw_nanopb_field *field) {
    if (hw_nanopb_is_pointer(field)) return sizeof(void *);
    if (hw_nanopb_is(field, PB_ATYPE_STATIC, PB_HTYPE_REPEATED))
        return (uint32_t)field->iter.data_size * field->iter.array_size;
    return field->iter.data_size;
}

uint32_t hw_nanopb_field_alignment(const struct hw_nanopb_field *field) {
    /* A callback field's type may be that of the message that contains the field. */
    if (hw_nanopb_is_pointer(field) || PB_ATYPE(field->iter.type) == PB_ATYPE_CALLBACK) return sizeof(void *);
    switch (PB_LTYPE(field->iter.type)) {
        case PB_LTYPE_BYTES:
            return sizeof(pb_size_t);
        case PB_LTYPE_STRING:
        case PB_LTYPE_FIXED_LENGTH_BYTES:
            return 1;
        case PB_LTYPE_SUBMESSAGE:
        case PB_LTYPE_SUBMSG_W_CB:
            return hw_nanopb_alignment(field->iter.submsg_desc);
        default:
            return field->iter.data_size ? field->iter.data_size : 1;
    }
}

/* Returns the bytes of the has-flag, count or which. */
static uint32_t presence_bytes(const struct hw_nanopb_field *field) {
    return PB_HTYPE(field->iter.type) == PB_HTYPE_OPTIONAL ? sizeof(bool) : sizeof(pb_size_t);
}

uint32_t hw_nanopb_alignment(const pb_msgdesc_t *descriptor) {
    struct hw_nanopb_field field;
    uint32_t most = 1;

    if (hw_nanopb_first(&field, descriptor)) do {
            uint32_t own = hw_nanopb_field_alignment(&field);
            if (field.has_presence && presence_bytes(&field) > own) own = presence_bytes(&field);
            if (own > most) most = own;
        } while (hw_nanopb_next(&field));
    return most;
}

uint32_t hw_nanopb_struct_end(const pb_msgdesc_t *descriptor) {
    struct hw_nanopb_field field;
    uint32_t end = 0;

    if (hw_nanopb_first(&field, descriptor)) do {
            uint32_t own = field.offset + hw_nanopb_extent(&field);
            if (field.has_presence && field.presence + presence_bytes(&field) > own)
                own = field.presence + presence_bytes(&field);
            if (own > end) end = own;
        } while (hw_nanopb_next(&field));
    return end;
}
