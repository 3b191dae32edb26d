#include "runtime/java/class.h"

#include <string.h>

#include "runtime/registers.h"
#include "classes.h"
#include "runtime/heap/heap.h"
#include "runtime/java/string.h"

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

hw_handle hw_enums;

static bool make(hw_handle all, uint32_t class, uint32_t ordinal) {
    const char *text = hw_classes[class].constants[ordinal];
    hw_scope scope = hw_scope_open();
    hw_handle name = hw_string_from_utf8(text, (uint32_t)strlen(text));
    hw_handle constant = name ? hw_new(&hw_java_klasses[class]) : NULL;

    if (constant) {
#ifdef HW_CLASS_Enum /* not among the classes of a program without enums, which never comes here */
        hw_set(constant, HW_CLASS_Enum_name, name);
        *(int32_t *)((char *)hw_handle_object(constant) + HW_CLASS_Enum_ordinal) = (int32_t)ordinal;
#endif
        hw_set_element(all, hw_serial_classes[class].first_constant + ordinal, constant);
    }
    hw_scope_close(scope);
    return constant != NULL;
}

bool hw_enums_init(void) {
    hw_scope scope = hw_scope_open();
    hw_handle all = hw_new_array(HW_CLASS_Object_array, hw_serial_constant_count);
    bool good = all != NULL;

    for (uint32_t class = 0; class < hw_class_count && good; class ++)
        for (uint32_t ordinal = 0; ordinal < hw_classes[class].constant_count && good; ordinal++)
            good = make(all, class, ordinal);
    hw_enums = good ? hw_global_new(all) : NULL;
    hw_scope_close(scope);
    return hw_enums != NULL;
}
