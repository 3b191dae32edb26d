/* Reads numbers, strings and arrays of primitive types. */
#include <string.h>

#include "classes.h"
#include "peers/kryo/reader.h"
#include "peers/objects/text.h"

#define FLAG 0x80

static inline bool advance(struct reader *reader, const uint8_t *next) {
    if (UNLIKELY(!next)) return fail(reader, HW_OBJECTS_TRUNCATED);
    reader->at = next;
    return true;
}

bool kryo_read_long_varint(struct reader *reader, uint32_t *value) {
    return advance(reader, get_varint(reader->at, reader->end, value));
}

bool kryo_read_varint_flag(struct reader *reader, bool *flag, uint32_t *value) {
    return advance(reader, get_varint_flag(reader->at, reader->end, flag, value));
}

bool kryo_read_primitive(struct reader *reader, void *to, uint8_t type) {
    return advance(reader, get_primitive(reader->at, reader->end, to, type));
}

bool kryo_read_length(struct reader *reader, uint32_t shift, uint32_t *length, bool *null) {
    const uint8_t *start = reader->at;

    if (!read_varint(reader, length)) return false;
    *null = *length == 0;
    *length -= !*null;
    if (LIKELY(*length <= unclaimed(reader) >> shift)) return true;
    return fail_at(reader, start, HW_OBJECTS_TRUNCATED);
}

/* Reads characters up to the first byte whose highest bit is set, which is the last. */
static bool read_ascii(struct reader *reader, hw_ref *slot) {
    const uint8_t *start = reader->at, *at = start + text_ascii(start, left(reader));

    if (at == reader->end) return fail(reader, HW_OBJECTS_TRUNCATED);
    uint32_t length = (uint32_t)(at - start) + 1;

    reader->at = at + 1;
    if (!text_new(slot, start, &(struct text_shape){.units = length, .bytes = length}))
        return fail(reader, HW_OBJECTS_NO_MEMORY);
    hw_ref value = *(const hw_ref *)hw_pointer(*slot + HW_CLASS_String_value);

    ((uint8_t *)hw_pointer(value + HW_OBJECT_METADATA_ARRAY_ELEMENTS))[length - 1] &= FLAG - 1;
    return true;
}

bool kryo_read_string(struct reader *reader, hw_ref *slot) {
    struct text_shape shape;
    uint32_t units;
    bool flag;

    if (reader->at == reader->end) return fail(reader, HW_OBJECTS_TRUNCATED);
    if (!(*reader->at & FLAG)) return read_ascii(reader, slot);
    if (!kryo_read_varint_flag(reader, &flag, &units)) return false;
    if (units == 0) {
        *slot = 0;
        return true;
    }
    if (--units > left(reader)) return fail(reader, HW_OBJECTS_TRUNCATED);
    const uint8_t *text = reader->at;

    if (!text_scan(text, left(reader), units, &shape)) return fail_at(reader, text + shape.bytes, HW_OBJECTS_MALFORMED);
    if (shape.units != units) return fail(reader, HW_OBJECTS_TRUNCATED);
    reader->at += shape.bytes;
    return LIKELY(text_new(slot, text, &shape)) || fail(reader, HW_OBJECTS_NO_MEMORY);
}

static bool read_ints(struct reader *reader, uint32_t *to, uint32_t length) {
    const uint8_t *at = reader->at;

    for (; length && at; length--, to++)
        if ((at = get_varint(at, reader->end, to))) *to = unzigzag(*to);
    return advance(reader, at);
}

static bool read_longs(struct reader *reader, uint32_t *to, uint32_t length) {
    const uint8_t *at = reader->at;

    for (; length && at; length--, to += 2) at = get_varlong(at, reader->end, to);
    return advance(reader, at);
}

bool kryo_read_primitives(struct reader *reader, uint32_t class, hw_ref *slot) {
    uint8_t type = hw_serial_classes[class].element;
    uint32_t length, shift = hw_serial_classes[class].element_shift;
    bool null;

    if (!kryo_read_length(reader, least_shift(type), &length, &null)) return false;
    if (null) {
        *slot = 0;
        return true;
    }
    if (!(*slot = hw_allocate_array(&hw_java_klasses[class], length))) return fail(reader, HW_OBJECTS_NO_MEMORY);
    char *to = (char *)hw_pointer(*slot) + HW_OBJECT_METADATA_ARRAY_ELEMENTS;

    if (type == 'I') return read_ints(reader, (void *)to, length);
    if (type == 'J') return read_longs(reader, (void *)to, length);
    memcpy(to, reader->at, length << shift);
    reader->at += length << shift;
    if (type == 'Z') booleans_normalise(to, length, false);
    return true;
}
