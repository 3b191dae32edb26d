#include "skyway/registry/registry.h"

#include <string.h>

#include "runtime/crc32.h"
#include "runtime/java/class.h"

static struct hw_klass *find(const char *name) {
    const struct hw_class *class = hw_class_find(name);

    return class ? &hw_java_klasses[class - hw_classes] : NULL;
}

#define DEEPEST 64

/* Lists a class and its superclasses, subclasses first. Returns their number. */
static uint32_t chain_of(const struct hw_klass *klass, const struct hw_class *chain[DEEPEST]) {
    uint32_t depth = 0;

    for (const struct hw_class *class = hw_class_of(klass); class && depth < DEEPEST; class = class->super)
        chain[depth++] = class;
    return depth;
}

/* Continues a CRC with the names, descriptors and places of the fields, superclasses first. Places count from behind
 * the header. */
static uint32_t fields(const struct hw_klass *klass, uint32_t crc) {
    uint32_t header = klass->flags & HW_KLASS_FLAG_METADATA ? HW_OBJECT_METADATA_INSTANCE + HW_OBJECT_METADATA_SIZE
                                                            : HW_OBJECT_HEADER_SIZE;
    const struct hw_class *chain[DEEPEST];
    uint32_t depth = chain_of(klass, chain);

    while (depth--)
        for (uint32_t i = 0; i < chain[depth]->field_count; i++) {
            const struct hw_class_field *field = &chain[depth]->fields[i];
            uint32_t at = field->offset - header;
            uint8_t place[4] = {(uint8_t)at, (uint8_t)(at >> 8), (uint8_t)(at >> 16), (uint8_t)(at >> 24)};

            crc = hw_crc32(crc, field->name, strlen(field->name) + 1);
            crc = hw_crc32(crc, field->descriptor, strlen(field->descriptor) + 1);
            crc = hw_crc32(crc, place, sizeof place);
        }
    return crc;
}

/* Bytes of a field with a value; 0: it holds a reference. */
static uint32_t value_bytes(const struct hw_class_field *field) {
    switch (field->descriptor[0]) {
        case 'J':
        case 'D':
            return 8;
        case 'I':
        case 'F':
            return 4;
        case 'S':
        case 'C':
            return 2;
        case 'B':
        case 'Z':
            return 1;
        default:
            return 0;
    }
}

/* Superclasses first; of a class values from the largest to the smallest, then references. */
static bool each_field(const struct hw_klass *klass, skyway_field_visit *visit, void *context) {
    const struct hw_class *chain[DEEPEST];
    uint32_t depth = chain_of(klass, chain);
    bool known = depth != 0 && !chain[depth - 1]->super;

    while (known && depth--)
        for (int bytes = 8; bytes >= 0; bytes = bytes == 0 ? -1 : bytes / 2)
            for (uint32_t i = 0; i < chain[depth]->field_count; i++) {
                const struct hw_class_field *field = &chain[depth]->fields[i];

                if (value_bytes(field) == (uint32_t)bytes)
                    visit(context, field->offset, bytes ? (uint32_t)bytes : sizeof(hw_ref), bytes == 0);
            }
    return known;
}

const struct hw_skyway_loader hw_skyway_java_loader = {.find = find, .fields = fields, .each_field = each_field};

hw_status hw_skyway_load_java_classes(void) {
    for (uint32_t i = 0; i < hw_class_count; i++) {
        struct hw_klass *klass = &hw_java_klasses[i];
        hw_status status = klass->flags & HW_KLASS_FLAG_METADATA ? hw_skyway_load_class(klass) : HW_STATUS_OK;

        if (status != HW_STATUS_OK) return status;
    }
    return HW_STATUS_OK;
}
