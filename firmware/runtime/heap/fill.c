#include "runtime/heap/object.h"

const struct hw_klass hw_filler_klass = {.object_size = HW_OBJECT_HEADER_SIZE, .kind = HW_KLASS_KIND_INSTANCE};
const struct hw_klass hw_filler_array_klass = {.kind = HW_KLASS_KIND_PRIMITIVE_ARRAY};

void hw_make_filler(uint32_t start, uint32_t limit) {
    uint32_t bytes = limit - start;

    if (bytes == 0) return;
    struct hw_array *filler = hw_pointer(start);

    filler->header.mark = HW_OBJECT_MARK_UNLOCKED;
    if (bytes == HW_OBJECT_HEADER_SIZE) {
        filler->header.klass = hw_reference(&hw_filler_klass);
        return;
    }
    filler->header.klass = hw_reference(&hw_filler_array_klass);
    filler->length = bytes - HW_OBJECT_ARRAY_ELEMENTS;
}
