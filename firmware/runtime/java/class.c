#include "runtime/java/class.h"

#include <string.h>

#include "runtime/registers.h"

void hw_classes_init(void) {
    for (uint32_t i = 0; i < hw_class_count; i++) {
        const struct hw_class *class = &hw_classes[i];
        struct hw_klass *klass = &hw_java_klasses[i];

        klass->name = hw_reference(class->name);
        klass->super = class->super ? hw_reference(hw_class_klass(class->super)) : 0;
        if (class->bitmap) klass->reference_bitmap = HW_KLASS_LONG_BITMAP | hw_reference(class->bitmap) >> 1;
    }
}

const struct hw_class *hw_class_find(const char *name) {
    uint32_t low = 0, high = hw_class_count;

    while (low < high) {
        uint32_t middle = (low + high) / 2;
        const struct hw_class *class = &hw_classes[hw_classes_by_name[middle]];
        int order = strcmp(name, class->name);

        if (order == 0) return class;
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return NULL;
}

const struct hw_class *hw_class_of(const struct hw_klass *klass) {
    uint32_t index = klass->id - HW_FIRST_CLASS_ID;

    return index < hw_class_count ? &hw_classes[index] : NULL;
}

const struct hw_klass *hw_class_klass(const struct hw_class *class) { return &hw_java_klasses[class - hw_classes]; }
