#include "skyway/registry/java_loader.h"

#include <string.h>

#include "runtime/crc32.h"
#include "runtime/java/class.h"

static struct hw_klass *find(const char *name) {
    const struct hw_class *class = hw_class_find(name);

    return class ? &hw_java_klasses[class - hw_classes] : NULL;
}

/* Continues a CRC with the names, descriptors and places of the fields, superclasses first. Places count from behind
 * the header. */
static uint32_t fields(const struct hw_klass *klass, uint32_t crc) {
    const struct hw_class *class = hw_class_of(klass);
    uint32_t header = klass->flags & HW_KLASS_FLAG_METADATA ? HW_OBJECT_METADATA_INSTANCE + HW_OBJECT_METADATA_SIZE
                                                            : HW_OBJECT_HEADER_SIZE;
    const struct hw_class *chain[64];
    uint32_t depth = 0;

    for (; class && depth < sizeof chain / sizeof *chain; class = class->super) chain[depth++] = class;
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

const struct hw_skyway_loader hw_skyway_java_loader = {.find = find, .fields = fields};

int hw_skyway_load_java_classes(void) {
    for (uint32_t i = 0; i < hw_class_count; i++) {
        struct hw_klass *klass = &hw_java_klasses[i];
        int status = klass->flags & HW_KLASS_FLAG_METADATA ? hw_skyway_load_class(klass) : HW_STATUS_OK;

        if (status != HW_STATUS_OK) return status;
    }
    return HW_STATUS_OK;
}
