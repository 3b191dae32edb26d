#include "spoil.h"

#include <pb_common.h>
#include <string.h>

void spoil(const pb_msgdesc_t *fields, void *message, unsigned choice) {
    pb_field_iter_t field;

    if (!pb_field_iter_begin(&field, fields, message)) return;
    for (unsigned skipped = choice % fields->field_count; skipped > 0; skipped--) pb_field_iter_next(&field);
    if (PB_ATYPE(field.type) != PB_ATYPE_STATIC) return;
    if (PB_HTYPE(field.type) == PB_HTYPE_REPEATED) {
        if (field.pSize != &field.array_size && choice & 64)
            *(pb_size_t *)field.pSize = (pb_size_t)(field.array_size + 1);
        else if (PB_LTYPE(field.type) == PB_LTYPE_BOOL)
            memset(field.pData, (int)(choice >> 8), field.array_size);
        return;
    }
    if (PB_HTYPE(field.type) == PB_HTYPE_ONEOF) {
        *(pb_size_t *)field.pSize = 12345;
        return;
    }
    if (PB_HTYPE(field.type) == PB_HTYPE_OPTIONAL && field.pSize) *(uint8_t *)field.pSize = (uint8_t)(choice >> 8 | 1);
    switch (PB_LTYPE(field.type)) {
        case PB_LTYPE_STRING:
            memset(field.pData, 'x', field.data_size - (choice >> 7 & 1));
            break;
        case PB_LTYPE_BYTES:
            *(pb_size_t *)field.pData = (pb_size_t)(field.data_size - sizeof(pb_size_t) + (choice >> 7 & 1));
            break;
        case PB_LTYPE_BOOL:
            *(uint8_t *)field.pData = (uint8_t)(choice >> 8);
            break;
        default:
            break;
    }
}
