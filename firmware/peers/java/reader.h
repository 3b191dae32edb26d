/* What the parts of the reader share. Functions answer false on an error, which they have noted by `fail`.
 *
 * Every object gets a slot among the codec's objects, which are roots, as soon as it exists: an allocation may move all of them, so nothing
 * but slots is kept over one.
 */
#ifndef HW_PEERS_JAVA_READER_H
#define HW_PEERS_JAVA_READER_H

#include "peers/java/java.h"
#include "peers/java/protocol.h"
#include "runtime/java/serial.h"

enum read_state {
    READ_FIELDS,
    READ_ELEMENTS,
    READ_LIST,
    READ_KEY,    /* of a HashMap: `count` entries are left */
    READ_MAPPED, /* the key is read */
    READ_ENTRY,  /* the value, too */
};

#define NO_SLOT UINT32_MAX /* of a null */

/* An object whose contents are being read. */
struct java_read_frame {
    const struct hw_serial_class *class;
    const struct hw_serial_class *level;
    uint32_t slot;
    uint32_t index, count;
    uint32_t key, value; /* slots */
    uint16_t level_index;
    uint8_t state;
};

struct reader {
    const uint8_t *at, *end;
    struct hw_java *codec;
    hw_ref *objects;
    uint32_t slot; /* of the value that was read last */
    struct java_read_frame *first, *top, *limit;
    uint32_t owed; /* bytes of the input that what unfinished objects still hold has at least, one each */
    enum hw_objects_status status;
};

/* Marks among the objects: what handles stand for that is no object. References end in three zeros. */
#define MARK_CLASS 1u
#define MARK_TYPE 2u
#define MARK_BITS 3u

static inline hw_ref mark(uint32_t index, uint32_t kind)
{
    return index << 3 | kind;
}

static inline bool fail(struct reader *reader, enum hw_objects_status status)
{
    reader->status = status;
    return false;
}

static inline uint32_t left(const struct reader *reader)
{
    return (uint32_t)(reader->end - reader->at);
}

static inline bool need(struct reader *reader, uint32_t bytes)
{
    return LIKELY(left(reader) >= bytes) || fail(reader, HW_OBJECTS_TRUNCATED);
}

/* So many things with a byte each at least are to come: not among the bytes that others have claimed, so that what is allocated
 * for them is never more than the input can fill. Whoever reads one takes it from `owed`. */
static inline bool claim(struct reader *reader, uint32_t count)
{
    if (UNLIKELY(left(reader) < reader->owed || count > left(reader) - reader->owed))
        return fail(reader, HW_OBJECTS_TRUNCATED);
    reader->owed += count;
    return true;
}

/* A new slot, the reader's `slot` from now on. */
static inline bool add(struct reader *reader, hw_ref object)
{
    struct hw_root_range *objects = &reader->codec->objects;

    if (UNLIKELY(objects->count == reader->codec->object_limit))
        return fail(reader, HW_OBJECTS_NO_WORKSPACE);
    reader->slot = objects->count;
    reader->objects[objects->count++] = object;
    return true;
}

/* The slot that a TC_REFERENCE, whose first byte has been read, leads to. */
static inline bool read_reference(struct reader *reader, uint32_t *slot)
{
    if (!need(reader, 4))
        return false;
    *slot = get32(reader->at) - BASE_HANDLE;
    if (*slot >= reader->codec->objects.count || reader->objects[*slot] == 0)
        return fail(reader, HW_OBJECTS_BAD_REFERENCE);
    reader->at += 4;
    return true;
}

/* A class descriptor with those of its superclasses, which must be as in the tables. */
bool java_read_descriptor(struct reader *reader, uint32_t *class);

/* The contents of a new string, whose first byte `tag` has been read. */
bool java_read_string(struct reader *reader, uint8_t tag);

/* A string in the place of a type's name, which a stream may share with a string of the program. */
bool java_read_type_as_string(struct reader *reader, uint32_t slot);

/* An array of a primitive type with its elements; its length is next. */
bool java_read_primitives(struct reader *reader, uint32_t class);

/* An object, an array or a constant of an enum, its first byte `tag` read: with the fields of its first level at most, and a frame
 * if more is to come. */
bool java_read_described(struct reader *reader, uint8_t tag);

/* The frame goes on with the next Serializable class of its object, or ends. */
bool java_next_level(struct reader *reader, struct java_read_frame *frame);

/* What ArrayList and HashMap write behind their fields: its beginning, an entry that has been read, its end. */
bool java_begin_method(struct reader *reader, struct java_read_frame *frame);
bool java_enter(struct reader *reader, struct java_read_frame *frame);
bool java_end_level(struct reader *reader, struct java_read_frame *frame);

#endif
