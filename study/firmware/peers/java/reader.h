/* What the parts of the reader share. Functions return false on an error, which `fail` has stored.
 *
 * Every object gets a slot among the codec's objects as soon as it exists. The slots are roots. An allocation may move
 * all objects, so only slots are kept across one.
 */
#ifndef HW_PEERS_JAVA_READER_H
#define HW_PEERS_JAVA_READER_H

#include "peers/java/java.h"
#include "peers/java/protocol.h"
#include "peers/objects/reader.h"
#include "runtime/java/serial.h"

#define NO_SLOT UINT32_MAX /* the slot of a null */

/* An object whose contents are being read. */
struct java_read_frame {
    const struct hw_serial_class *class;
    const struct hw_serial_class *level;
    uint32_t slot;
    uint32_t index, count;
    uint32_t key, value; /* slots of the entry under way */
    uint16_t level_index;
    uint8_t state;
};

struct reader {
    const uint8_t *at, *end;
    struct hw_java *codec;
    hw_ref *objects;
    uint32_t slot; /* of the value that was read last */
    struct java_read_frame *first, *top, *limit;
    uint32_t owed; /* bytes of the input reserved for the rest of unfinished objects, at least one for each value */
    enum hw_objects_status status;
};

/* Marks among the objects, for handles that stand for no object. They differ from references, whose lowest three bits
 * are 0. */
#define MARK_CLASS 1u
#define MARK_TYPE 2u
#define MARK_BITS 3u

static inline hw_ref mark(uint32_t index, uint32_t kind) { return index << 3 | kind; }

static inline bool fail(struct reader *reader, enum hw_objects_status status) {
    reader->status = status;
    return false;
}

/* Fails at another byte than the next one. */
static inline bool fail_at(struct reader *reader, const uint8_t *at, enum hw_objects_status status) {
    reader->at = at;
    return fail(reader, status);
}

static inline uint32_t left(const struct reader *reader) { return (uint32_t)(reader->end - reader->at); }

static inline bool need(struct reader *reader, uint32_t bytes) {
    return LIKELY(left(reader) >= bytes) || fail(reader, HW_OBJECTS_TRUNCATED);
}

/* Reserves input for `count` values, which have at least a byte each, beyond what other objects have reserved. So
 * allocations never exceed what the input can fill. Whoever reads such a value decrements `owed`. */
static inline bool claim(struct reader *reader, uint32_t count) {
    if (UNLIKELY(left(reader) < reader->owed || count > left(reader) - reader->owed))
        return fail(reader, HW_OBJECTS_TRUNCATED);
    reader->owed += count;
    return true;
}

/* Adds a slot, which becomes the reader's `slot`. */
static inline bool add(struct reader *reader, hw_ref object) {
    struct hw_root_range *objects = &reader->codec->objects;

    if (UNLIKELY(objects->count == reader->codec->object_limit)) return fail(reader, HW_OBJECTS_NO_WORKSPACE);
    reader->slot = objects->count;
    reader->objects[objects->count++] = object;
    return true;
}

/* Reads the slot of a TC_REFERENCE, whose first byte has been read. */
static inline bool read_reference(struct reader *reader, uint32_t *slot) {
    if (!need(reader, 4)) return false;
    *slot = get32(reader->at) - BASE_HANDLE;
    if (*slot >= reader->codec->objects.count || reader->objects[*slot] == 0)
        return fail(reader, HW_OBJECTS_BAD_REFERENCE);
    reader->at += 4;
    return true;
}

/* Reads a class descriptor with those of its superclasses, which must agree with the tables. */
bool java_read_descriptor(struct reader *reader, uint32_t *class);

/* Reads the contents of a new string, whose first byte `tag` has been read. */
bool java_read_string(struct reader *reader, uint8_t tag);

/* Makes a string of a type's name. A stream may share that name with a string of the program. */
bool java_read_type_as_string(struct reader *reader, uint32_t slot);

/* Reads an array of a primitive type. Its length comes next. */
bool java_read_primitives(struct reader *reader, uint32_t class);

/* Reads an object, an array or a constant of an enum, whose first byte `tag` has been read: with the fields of its
 * first level at most. Pushes a frame if more is to come. */
bool java_read_described(struct reader *reader, uint8_t tag);

/* Goes on to the next Serializable class of the frame's object, or ends the frame. */
bool java_next_level(struct reader *reader, struct java_read_frame *frame);

/* What ArrayList and HashMap write behind their fields: reads its beginning, enters an entry that has been read, reads
 * its end. */
bool java_begin_method(struct reader *reader, struct java_read_frame *frame);
bool java_enter(struct reader *reader, struct java_read_frame *frame);
bool java_end_level(struct reader *reader, struct java_read_frame *frame);

#endif
