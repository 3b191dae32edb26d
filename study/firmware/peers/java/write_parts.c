/* Writes class descriptors, strings and arrays of primitive types. */
#include <string.h>

#include "peers/java/writer.h"
#include "peers/objects/text.h"

#define SHORT_STRING 0xffffu

static inline void put_reference(struct writer *writer, uint32_t number) {
    *writer->at++ = TC_REFERENCE;
    writer->at = put32(writer->at, number - writer->identity->base + BASE_HANDLE);
}

static inline void put_bytes(struct writer *writer, const uint8_t *bytes, uint32_t count) {
    memcpy(writer->at, bytes, count);
    writer->at += count;
}

/* Writes the type of a field: a string the first time, then references to it. */
static bool write_type(struct writer *writer, uint32_t type) {
    struct hw_java *codec = writer->codec;
    const struct hw_serial_type *text = &hw_serial_types[type];

    if (!room(writer, 5 + text->bytes)) return false;
    if (identity_current(&codec->identity, codec->type_numbers[type])) {
        put_reference(writer, codec->type_numbers[type]);
        return true;
    }
    codec->type_numbers[type] = codec->identity.next++;
    *writer->at++ = TC_STRING;
    put_bytes(writer, text->signature, text->bytes);
    return true;
}

static bool write_new_descriptor(struct writer *writer, const struct hw_serial_class *class) {
    if (!room(writer, class->descriptor_bytes)) return false;
    put_bytes(writer, class->descriptor, class->descriptor_bytes);
    for (uint32_t i = 0; i < class->reference_count; i++) {
        const struct hw_serial_reference *reference = &class->references[i];

        if (!room(writer, reference->name_bytes)) return false;
        put_bytes(writer, reference->name, reference->name_bytes);
        if (!write_type(writer, reference->type)) return false;
    }
    if (!room(writer, 1)) return false;
    *writer->at++ = TC_ENDBLOCKDATA;
    return true;
}

bool java_write_descriptor(struct writer *writer, uint32_t class) {
    struct hw_java *codec = writer->codec;
    const struct hw_serial_class *serial = &hw_serial_classes[class];

    for (uint32_t level = serial->level_count; level-- > 0;) {
        uint32_t index = serial->levels[level];

        if (LIKELY(identity_current(&codec->identity, codec->class_numbers[index]))) {
            if (!room(writer, 5)) return false;
            put_reference(writer, codec->class_numbers[index]);
            return true;
        }
        codec->class_numbers[index] = codec->identity.next++;
        if (!write_new_descriptor(writer, &hw_serial_classes[index])) return false;
    }
    if (!room(writer, 1)) return false;
    *writer->at++ = TC_NULL;
    return true;
}

bool java_write_string(struct writer *writer, hw_ref string, struct identity_entry *entry) {
    struct text text = text_of(string);
    uint32_t bytes = text_bytes(&text, true);

    if (!identity_add(writer->identity, entry, string)) return refuse(writer, HW_OBJECTS_NO_WORKSPACE);
    if (!room(writer, bytes) || !room(writer, bytes + (bytes <= SHORT_STRING ? 3 : 9))) return false;
    if (LIKELY(bytes <= SHORT_STRING)) {
        *writer->at++ = TC_STRING;
        writer->at = put16(writer->at, bytes);
    } else {
        *writer->at++ = TC_LONGSTRING;
        writer->at = put32(put32(writer->at, 0), bytes);
    }
    writer->at = text_put(writer->at, &text, bytes, true);
    return true;
}

bool java_write_primitives(struct writer *writer, const struct hw_serial_class *class, const struct hw_array *array) {
    const char *from = (const char *)array + HW_OBJECT_METADATA_ARRAY_ELEMENTS;
    uint32_t length = array->length, left = (uint32_t)(writer->end - writer->at);
    uint8_t *to = writer->at;

    if (length > left >> class->element_shift) return refuse(writer, HW_OBJECTS_OUTPUT_FULL);
    switch (class->element_shift) {
        case 0:
            memcpy(to, from, length);
            to += length;
            break;
        case 1:
            for (const uint16_t *each = (const void *)from, *end = each + length; each < end; each++)
                to = put16(to, *each);
            break;
        case 2:
            for (const uint32_t *each = (const void *)from, *end = each + length; each < end; each++)
                to = put32(to, *each);
            break;
        default:
            for (const uint32_t *each = (const void *)from, *end = each + 2 * length; each < end; each += 2)
                to = put32(put32(to, each[1]), each[0]);
    }
    writer->at = to;
    return true;
}
