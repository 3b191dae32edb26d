/* What the parts of the readers share. Functions answer false on an error, which they have noted by `fail`.
 *
 * An object that has a reference id is found by it among the codec's objects, which are roots: an allocation may move all of them, so
 * nothing but ids is kept over one. Boxes have no id; what waits for a map, and what has no id at all, is held among other roots.
 */
#ifndef HW_PEERS_KRYO_READER_H
#define HW_PEERS_KRYO_READER_H

#include "peers/kryo/kryo.h"
#include "peers/kryo/want.h"
#include "peers/kryo/wire.h"

enum read_state {
    READ_FIELDS,
    READ_ELEMENTS,
    READ_LIST,
    READ_KEY,
    READ_MAPPED,
    READ_ENTRY,
};

/* An object whose contents are being read. */
struct kryo_read_frame {
    const struct hw_kryo_field *field;
    uint32_t id;
    uint32_t index, count; /* next element; fields, elements or entries that are left */
    uint32_t held;         /* of a map: its key, and behind it the value */
    struct want want;      /* of elements and keys */
    struct want mapped;    /* of a map's values */
    uint16_t accepts;      /* of elements: the type of an array's */
    uint8_t state;
};

struct reader {
    const uint8_t *at, *end;
    struct hw_kryo *codec;
    hw_ref *objects;
    struct kryo_read_frame *first, *top, *limit;
    uint32_t owed; /* bytes of the input that what unfinished objects still hold has at least, one each */
    enum hw_objects_status status;
};

static inline bool fail(struct reader *reader, enum hw_objects_status status)
{
    reader->status = status;
    return false;
}

static inline uint32_t left(const struct reader *reader)
{
    return (uint32_t)(reader->end - reader->at);
}

/* Bytes of the input that are nobody's: a length must fit into them, so that what is allocated is never more than the input can fill.
 * Who goes on to other values before it has read its own adds them to `owed`, and takes each away as it reads it. */
static inline uint32_t unclaimed(const struct reader *reader)
{
    return LIKELY(left(reader) >= reader->owed) ? left(reader) - reader->owed : 0;
}

static inline bool read_byte(struct reader *reader, uint8_t *value)
{
    if (UNLIKELY(reader->at == reader->end))
        return fail(reader, HW_OBJECTS_TRUNCATED);
    *value = *reader->at++;
    return true;
}

/* The slow paths: more than one byte, or none. */
bool kryo_read_long_varint(struct reader *reader, uint32_t *value);
bool kryo_read_varint_flag(struct reader *reader, bool *flag, uint32_t *value);

static inline bool read_varint(struct reader *reader, uint32_t *value)
{
    if (UNLIKELY(reader->at == reader->end || *reader->at >= 0x80))
        return kryo_read_long_varint(reader, value);
    *value = *reader->at++;
    return true;
}

/* A primitive value, by the first character of its type's descriptor, or POSITIVE_LONG. */
bool kryo_read_primitive(struct reader *reader, void *to, uint8_t type);

/* The same in place, for a type that the compiler knows. */
static inline __attribute__((always_inline)) bool read_known(struct reader *reader, void *to, uint8_t type)
{
    const uint8_t *next = get_primitive(reader->at, reader->end, to, type);

    if (UNLIKELY(!next))
        return fail(reader, HW_OBJECTS_TRUNCATED);
    reader->at = next;
    return true;
}

/* A length with 1 added, of elements that have at least 2^shift bytes each; `*length` without it, and whether it was 0: a null. */
bool kryo_read_length(struct reader *reader, uint32_t shift, uint32_t *length, bool *null);

/* The next reference id, for an object that is still to be made. */
static inline bool add(struct reader *reader, uint32_t *id)
{
    struct hw_root_range *objects = &reader->codec->objects;

    if (UNLIKELY(objects->count == reader->codec->object_limit))
        return fail(reader, HW_OBJECTS_NO_WORKSPACE);
    *id = objects->count++;
    reader->objects[*id] = 0;
    return true;
}

/* Places among the held roots, nulls at first; they are released in the opposite order. */
static inline bool hold(struct reader *reader, uint32_t count, uint32_t *first)
{
    struct hw_root_range *held = &reader->codec->held;

    if (UNLIKELY(reader->codec->held_limit - held->count < count))
        return fail(reader, HW_OBJECTS_NO_WORKSPACE);
    *first = held->count;
    for (; count; count--)
        held->base[held->count++] = 0;
    return true;
}

/* Input.readString into a root; null or not. A safepoint. */
bool kryo_read_string(struct reader *reader, hw_ref *slot);

/* An array of a primitive type with its length into a root; a null, too. A safepoint. */
bool kryo_read_primitives(struct reader *reader, uint32_t class, hw_ref *slot);

/* Generic: the next value, to be stored before anything is allocated, with a frame if more of it is to come. */
bool kryo_read_value(struct reader *reader, struct want want, hw_ref *value);

/* What the readers begin and end with. */
void kryo_reader_open(struct reader *reader, struct hw_kryo *codec, const void *input, uint32_t length);
struct hw_objects_result kryo_reader_close(struct reader *reader, bool good, const void *input, const hw_ref *value, hw_handle *root);

#endif
