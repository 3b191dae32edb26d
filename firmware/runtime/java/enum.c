#include "runtime/java/class.h"

#include <string.h>

#include "classes.h"
#include "runtime/heap/heap.h"
#include "runtime/java/string.h"

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
