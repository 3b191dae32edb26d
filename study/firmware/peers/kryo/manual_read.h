/* What the hand-written readers of objects with fields share. An object is made first, in a held root. Its referents
 * are read into another held root. */
#ifndef HW_PEERS_KRYO_MANUAL_READ_H
#define HW_PEERS_KRYO_MANUAL_READ_H

#include "peers/kryo/manual_parts.h"

#define PRIMITIVE(name, type) read_known(reader, hw_pointer(held_at(reader, held) + HW_CLASS_##name), type)
#define VARINT(name) read_varint_into(reader, held, HW_CLASS_##name)
#define STRING(name) read_string_field(reader, held, HW_CLASS_##name)

static inline bool read_varint_into(struct reader *reader, uint32_t held, uint32_t offset) {
    return read_varint(reader, hw_pointer(held_at(reader, held) + offset));
}

static inline bool read_text(struct reader *reader, uint32_t held) {
    return kryo_read_string(reader, &reader->codec->held.base[held]);
}

/* Reads a value with `read` and stores it in a field of the object. */
static inline bool read_field(struct reader *reader, uint32_t held, uint32_t offset, manual_read *read) {
    uint32_t value;

    if (!hold(reader, 1, &value) || !read(reader, value)) return false;
    store(reader, held, offset, value);
    release(reader, value);
    return true;
}

static inline bool read_string_field(struct reader *reader, uint32_t held, uint32_t offset) {
    return read_field(reader, held, offset, read_text);
}

#endif
