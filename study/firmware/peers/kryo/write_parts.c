/* Writes numbers, strings and arrays of primitive types. */
#include <string.h>

#include "peers/kryo/writer.h"
#include "peers/objects/text.h"

#define MAX_ASCII 32u /* longer strings, and those of one character, have their length in front */
#define FLAG 0x80

static bool copy(struct writer *writer, const uint8_t *number, const uint8_t *end) {
    uint32_t bytes = (uint32_t)(end - number);

    if (!room(writer, bytes)) return false;
    memcpy(writer->at, number, bytes);
    writer->at += bytes;
    return true;
}

bool kryo_write_long_varint(struct writer *writer, uint32_t value) {
    uint8_t number[MAX_NUMBER];

    if (!ample(writer)) return copy(writer, number, put_varint(number, value));
    writer->at = put_varint(writer->at, value);
    return true;
}

bool kryo_write_varint_flag(struct writer *writer, bool flag, uint32_t value) {
    uint8_t number[MAX_NUMBER];

    if (!ample(writer)) return copy(writer, number, put_varint_flag(number, flag, value));
    writer->at = put_varint_flag(writer->at, flag, value);
    return true;
}

bool kryo_write_primitive(struct writer *writer, const void *from, uint8_t type) {
    uint8_t number[MAX_NUMBER];

    if (!ample(writer)) return copy(writer, number, put_primitive(number, from, type));
    writer->at = put_primitive(writer->at, from, type);
    return true;
}

static bool is_ascii(const struct text *text, uint32_t bytes) {
    return bytes == text->units && text->units > 1 && text->units <= MAX_ASCII;
}

bool kryo_write_string(struct writer *writer, hw_ref string) {
    if (string == 0) return write_byte(writer, 0 | FLAG);
    struct text text = text_of(string);

    if (text.units == 0) return write_byte(writer, 1 | FLAG);
    uint32_t bytes = text_bytes(&text, false);
    bool ascii = is_ascii(&text, bytes);

    if (!ascii && !kryo_write_varint_flag(writer, true, text.units + 1)) return false;
    if (!room(writer, bytes)) return false;
    writer->at = text_put(writer->at, &text, bytes, false);
    if (ascii) writer->at[-1] |= FLAG;
    return true;
}

static bool write_bulk(struct writer *writer, const void *elements, uint32_t length, uint32_t shift) {
    if (length > (uint32_t)(writer->end - writer->at) >> shift) return refuse(writer, HW_OBJECTS_OUTPUT_FULL);
    /* The core is little-endian, as Kryo is. */
    memcpy(writer->at, elements, length << shift);
    writer->at += length << shift;
    return true;
}

bool kryo_write_primitives(struct writer *writer, uint8_t type, const void *elements, uint32_t length) {
    const uint32_t *words = elements;

    switch (type) {
        case 'D':
            return write_bulk(writer, elements, length, 3);
        case 'F':
            return write_bulk(writer, elements, length, 2);
        case 'S':
        case 'C':
            return write_bulk(writer, elements, length, 1);
        case 'I':
            for (; length && ample(writer); length--, words++)
                writer->at = put_varint(writer->at, zigzag((int32_t)*words));
            for (; length; length--, words++)
                if (!write_varint(writer, zigzag((int32_t)*words))) return false;
            return true;
        case 'J':
            for (; length && ample(writer); length--, words += 2)
                writer->at = put_varlong(writer->at, words[0], words[1]);
            for (; length; length--, words += 2)
                if (!kryo_write_primitive(writer, words, 'J')) return false;
            return true;
        default:
            return write_bulk(writer, elements, length, 0);
    }
}
