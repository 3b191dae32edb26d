/* Which classes can be numbered. Afterwards software and units trust what a klass says. */
#include <string.h>

#include "skyway/registry/registry.h"
#include "runtime/heap/object.h"

/* Returns whether all references of an instance are among its slots [first, limit). */
static bool refers_within(const struct hw_klass *klass, uint32_t first, uint32_t limit) {
    const uint32_t *words = &klass->reference_bitmap;
    uint32_t count = 1;

    if (klass->reference_bitmap & HW_KLASS_LONG_BITMAP) {
        hw_ref table = klass->reference_bitmap << 1;

        if (table == 0 || table % sizeof *words != 0) return false;
        words = hw_pointer(table);
        count = *words++;
    }
    if (count > limit / 32 + 1) return false;
    return count == 0 ||
           ((words[0] & ((1u << first) - 1)) == 0 && (limit / 32 >= count || words[limit / 32] >> limit % 32 == 0));
}

static bool is_instance(const struct hw_klass *klass) {
    uint32_t metadata = klass->flags & HW_KLASS_FLAG_METADATA ? HW_OBJECT_METADATA_SIZE : 0, size = klass->object_size;

    return size >= HW_OBJECT_HEADER_SIZE + metadata && size % HW_OBJECT_ALIGNMENT == 0 &&
           refers_within(klass, metadata / 4, (size - HW_OBJECT_HEADER_SIZE) / 4);
}

hw_status skyway_suits(const struct hw_klass *klass) {
    bool sound, array = klass->object_size == 0 && klass->reference_bitmap == 0;

    if (klass->name == 0 || strlen(hw_pointer(klass->name)) > SKYWAY_NAME_MAX) return HW_STATUS_UNREGISTERED_CLASS;
    switch (klass->kind) {
        case HW_KLASS_KIND_INSTANCE:
            sound = is_instance(klass);
            break;
        case HW_KLASS_KIND_PRIMITIVE_ARRAY:
            sound = array && klass->element_shift <= 3;
            break;
        case HW_KLASS_KIND_OBJECT_ARRAY:
            sound = array && klass->element_shift == 2;
            break;
        default:
            return HW_STATUS_UNREGISTERED_CLASS;
    }
    return sound ? HW_STATUS_OK : HW_SKYWAY_BAD_CLASS;
}
