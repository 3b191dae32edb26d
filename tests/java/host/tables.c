/* Prints the klass tables as they are after hw_classes_init, one class or field per line. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "classes.h"
#include "runtime/heap/object.h"
#include "runtime/registers.h"

static uint32_t references;
static const char *first_slot;

static void count(hw_ref *slot, void *context) {
    (void)context;
    references++;
    printf(" %d", (int)((const char *)slot - first_slot));
}

/* Prints the offsets at which the collector sees references in an empty object of the class. */
static void print_references(const struct hw_klass *klass) {
    static _Alignas(8) char object[4096];

    memset(object, 0, sizeof object);
    ((struct hw_object *)object)->klass = hw_reference(klass);
    first_slot = object;
    hw_visit_object(object, count, NULL);
}

int main(void) {
    hw_classes_init();
    for (uint32_t i = 0; i < hw_class_count; i++) {
        const struct hw_class *class = &hw_classes[i];
        const struct hw_klass *klass = hw_class_klass(class);

        if (hw_class_find(class->name) != class || hw_class_of(klass) != class ||
            strcmp(hw_pointer(klass->name), class->name) != 0 || klass->id != HW_FIRST_CLASS_ID + i ||
            klass->super != (class->super ? hw_reference(hw_class_klass(class->super)) : 0)) {
            printf("class %s is not found as itself\n", class->name);
            return 1;
        }
        printf("class %s\t%s\t%" PRIu32 "\t%" PRIu32 "\t%" PRIu32 "\t%" PRIu32 "\t%" PRIu32 "\t%" PRId64 "\n",
               class->name, class->super ? class->super->name : "-", klass->object_size, klass->kind,
               klass->element_shift, klass->flags, class->flags, class->serial_version_uid);
        for (uint32_t k = 0; k < class->field_count; k++)
            printf("field %s\t%s\t%" PRIu32 "\t%" PRIu32 "\n", class->fields[k].name, class->fields[k].descriptor,
                   class->fields[k].offset, class->fields[k].modifiers);
        for (uint32_t k = 0; k < class->constant_count; k++) printf("constant %s\n", class->constants[k]);
        printf("references");
        if (klass->object_size) print_references(klass);
        printf("\n");
    }
    if (hw_class_find("java.lang.NoSuchClass") || hw_class_find("") || hw_class_find("~") ||
        hw_class_of(&hw_message_klass)) {
        printf("a class that does not exist was found\n");
        return 1;
    }
    return references == 0;
}
