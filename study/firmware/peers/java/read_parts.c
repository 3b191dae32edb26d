/* Reads class descriptors, strings and arrays of primitive types. */
#include <string.h>

#include "peers/java/reader.h"
#include "peers/objects/text.h"

/* Finds the class whose descriptor has the next bytes, up to its last primitive field. */
static bool find_class(struct reader *reader, uint32_t *class) {
    const uint8_t *at = reader->at;
    uint32_t bytes = left(reader);

    if (bytes < DESCRIPTOR_NAME) return fail(reader, HW_OBJECTS_TRUNCATED);
    uint32_t name_bytes = get16(at + 1);

    if (bytes < DESCRIPTOR_NAME + name_bytes + UID_BYTES) return fail(reader, HW_OBJECTS_TRUNCATED);
    for (uint32_t i = class_hash(at, name_bytes);; i++) {
        uint32_t index = reader->codec->by_name[i & reader->codec->by_name_mask];

        if (index == 0) return fail(reader, HW_OBJECTS_BAD_CLASS);
        const struct hw_serial_class *serial = &hw_serial_classes[index - 1];

        if (serial->name_bytes == name_bytes && serial->descriptor_bytes <= bytes &&
            memcmp(serial->descriptor, at, serial->descriptor_bytes) == 0) {
            *class = index - 1;
            reader->at = at + serial->descriptor_bytes;
            return true;
        }
    }
}

/* Reads the name of a field's type: a string, or a reference to one. */
static bool read_type(struct reader *reader, uint32_t type) {
    const struct hw_serial_type *text = &hw_serial_types[type];
    uint32_t slot;

    if (!need(reader, 1)) return false;
    if (*reader->at == TC_STRING) {
        if (!need(reader, 1 + text->bytes)) return false;
        if (memcmp(reader->at + 1, text->signature, text->bytes) != 0) return fail(reader, HW_OBJECTS_BAD_CLASS);
        reader->at += 1 + text->bytes;
        return add(reader, mark(type, MARK_TYPE));
    }
    if (*reader->at != TC_REFERENCE) return fail(reader, HW_OBJECTS_MALFORMED);
    reader->at++;
    if (!read_reference(reader, &slot)) return false;
    hw_ref known = reader->objects[slot];

    if (LIKELY(known == mark(type, MARK_TYPE))) return true;
    /* A string of the program may have the same characters. */
    if (known & MARK_BITS || hw_serial_classes[hw_serial_index(known)].kind != HW_SERIAL_STRING)
        return fail(reader, HW_OBJECTS_BAD_CLASS);
    struct text given = text_of(known);

    if (given.coder != 0 || given.units != text->bytes - 2u ||
        memcmp(given.data, text->signature + 2, given.units) != 0)
        return fail(reader, HW_OBJECTS_BAD_CLASS);
    return true;
}

static bool read_new_descriptor(struct reader *reader, uint32_t *class) {
    if (!find_class(reader, class) || !add(reader, mark(*class, MARK_CLASS))) return false;
    const struct hw_serial_class *serial = &hw_serial_classes[*class];

    for (uint32_t i = 0; i < serial->reference_count; i++) {
        const struct hw_serial_reference *reference = &serial->references[i];

        if (!need(reader, reference->name_bytes)) return false;
        if (memcmp(reader->at, reference->name, reference->name_bytes) != 0) return fail(reader, HW_OBJECTS_BAD_CLASS);
        reader->at += reference->name_bytes;
        if (!read_type(reader, reference->type)) return false;
    }
    if (!need(reader, 1)) return false;
    if (*reader->at != TC_ENDBLOCKDATA)
        return fail(reader, HW_OBJECTS_UNSUPPORTED); /* annotations, which no class loader here writes */
    reader->at++;
    return true;
}

bool java_read_descriptor(struct reader *reader, uint32_t *class) {
    const struct hw_serial_class *expected = NULL;
    uint32_t level = 0, found, slot;

    /* The class itself comes first, then superclasses up to the topmost, then a null. */
    for (;; level--) {
        if (!need(reader, 1)) return false;
        const uint8_t *start = reader->at;

        if (*start == TC_REFERENCE) {
            reader->at++;
            if (!read_reference(reader, &slot)) return false;
            if ((reader->objects[slot] & 7) != MARK_CLASS) return fail_at(reader, start, HW_OBJECTS_MALFORMED);
            found = reader->objects[slot] >> 3;
        } else if (*start == TC_CLASSDESC) {
            if (!read_new_descriptor(reader, &found)) return false;
        } else if (*start == TC_NULL && expected && level == 0) {
            reader->at++;
            return true;
        } else {
            return fail(reader, *start == TC_PROXYCLASSDESC ? HW_OBJECTS_UNSUPPORTED : HW_OBJECTS_MALFORMED);
        }
        if (!expected) {
            expected = &hw_serial_classes[ *class = found];
            level = expected->level_count;
        }
        if (level == 0 || expected->levels[level - 1] != found) return fail_at(reader, start, HW_OBJECTS_BAD_CLASS);
        if (*start == TC_REFERENCE) return true;
    }
}

static bool new_string(struct reader *reader, uint32_t slot, const uint8_t *from, const struct text_shape *shape) {
    return LIKELY(text_new(&reader->objects[slot], from, shape)) || fail(reader, HW_OBJECTS_NO_MEMORY);
}

bool java_read_string(struct reader *reader, uint8_t tag) {
    uint32_t header = tag == TC_STRING ? 2 : 8, bytes;
    struct text_shape shape;

    if (!need(reader, header)) return false;
    if (tag == TC_STRING) {
        bytes = get16(reader->at);
    } else {
        if (get32(reader->at) != 0) return fail(reader, HW_OBJECTS_TRUNCATED);
        bytes = get32(reader->at + 4);
    }
    if (left(reader) - header < bytes) return fail(reader, HW_OBJECTS_TRUNCATED);
    const uint8_t *text = reader->at + header;

    if (!text_scan(text, bytes, UINT32_MAX, &shape) || shape.bytes != bytes)
        return fail_at(reader, text + shape.bytes, HW_OBJECTS_MALFORMED);
    reader->at = text + bytes;
    return add(reader, 0) && new_string(reader, reader->slot, text, &shape);
}

bool java_read_type_as_string(struct reader *reader, uint32_t slot) {
    const struct hw_serial_type *type = &hw_serial_types[reader->objects[slot] >> 3];
    struct text_shape shape;

    text_scan(type->signature + 2, type->bytes - 2u, UINT32_MAX, &shape);
    reader->objects[slot] = 0;
    return new_string(reader, slot, type->signature + 2, &shape);
}

bool java_read_primitives(struct reader *reader, uint32_t class) {
    uint32_t shift = hw_serial_classes[class].element_shift;

    if (!need(reader, 4)) return false;
    uint32_t length = get32(reader->at);

    if (length > (left(reader) - 4) >> shift) return fail(reader, HW_OBJECTS_TRUNCATED);
    hw_ref array = hw_allocate_array(&hw_java_klasses[class], length);

    if (!array) return fail(reader, HW_OBJECTS_NO_MEMORY);
    char *to = (char *)hw_pointer(array) + HW_OBJECT_METADATA_ARRAY_ELEMENTS;
    const uint8_t *from = reader->at + 4;

    reader->at = from + (length << shift);
    if (shift == 0) {
        memcpy(to, from, length);
        if (hw_serial_classes[class].element == 'Z') booleans_normalise(to, length, true);
    } else if (shift == 1) {
        for (uint16_t *each = (void *)to, *end = each + length; each < end; each++, from += 2)
            *each = (uint16_t)get16(from);
    } else if (shift == 2) {
        for (uint32_t *each = (void *)to, *end = each + length; each < end; each++, from += 4) *each = get32(from);
    } else {
        for (uint32_t *each = (void *)to, *end = each + 2 * length; each < end; each += 2, from += 8)
            each[1] = get32(from), each[0] = get32(from + 4);
    }
    return add(reader, array);
}
