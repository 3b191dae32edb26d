/* What the parts of the readers share. Functions return false on an error, which `fail` has stored.
 *
 * An object with a reference id is found by this id among the codec's objects, which are roots. An allocation may move
 * all objects, so only ids are kept across one. Boxes have no id. Values that wait for a map, and objects without ids,
 * are held among other roots.
 */
#ifndef HW_PEERS_KRYO_READER_H
#define HW_PEERS_KRYO_READER_H

#include "peers/kryo/kryo.h"
#include "peers/kryo/wire.h"
#include "peers/objects/reader.h"

/* An object whose contents are being read. */
struct kryo_read_frame {
    const struct hw_kryo_field *field;
    uint32_t id;
    uint32_t index, count; /* index of the next element; number of fields, elements or entries that are left */
    uint32_t held;         /* of a map: place of its key among the held roots; the value's place follows */
    struct want want;      /* of elements and keys */
    struct want mapped;    /* of a map's values */
    uint16_t accepts;      /* of elements: the element type of an array */
    uint8_t state;
};

struct reader {
    const uint8_t *at, *end;
    struct hw_kryo *codec;
    hw_ref *objects;
    struct kryo_read_frame *first, *top, *limit;
    uint32_t owed; /* bytes of the input reserved for the rest of unfinished objects, at least one for each value */
    enum hw_objects_status status;
};

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

/* Returns the bytes of the input that are not reserved. A length must fit into them, so that allocations never exceed
 * what the input can fill. Code that lets other values be read before its own adds its values to `owed`, and decrements
 * `owed` as it reads each. */
static inline uint32_t unclaimed(const struct reader *reader) {
    return LIKELY(left(reader) >= reader->owed) ? left(reader) - reader->owed : 0;
}

static inline bool read_byte(struct reader *reader, uint8_t *value) {
    if (UNLIKELY(reader->at == reader->end)) return fail(reader, HW_OBJECTS_TRUNCATED);
    *value = *reader->at++;
    return true;
}

/* The slow paths: more than one byte, or none. */
bool kryo_read_long_varint(struct reader *reader, uint32_t *value);
bool kryo_read_varint_flag(struct reader *reader, bool *flag, uint32_t *value);

static inline __attribute__((always_inline)) bool read_varint(struct reader *reader, uint32_t *value) {
    if (UNLIKELY(reader->at == reader->end || *reader->at >= 0x80)) return kryo_read_long_varint(reader, value);
    *value = *reader->at++;
    return true;
}

/* Reads a primitive value of a type: the first character of its descriptor, or POSITIVE_LONG. */
bool kryo_read_primitive(struct reader *reader, void *to, uint8_t type);

/* The same, inlined, for a type that the compiler knows. */
static inline __attribute__((always_inline)) bool read_known(struct reader *reader, void *to, uint8_t type) {
    const uint8_t *next = get_primitive(reader->at, reader->end, to, type);

    if (UNLIKELY(!next)) return fail(reader, HW_OBJECTS_TRUNCATED);
    reader->at = next;
    return true;
}

/* Reads a length, to which the stream adds 1, of elements with at least 2^shift bytes each. `*length` is the length
 * itself; `*null` tells whether the stream has 0, which stands for null. */
bool kryo_read_length(struct reader *reader, uint32_t shift, uint32_t *length, bool *null);

/* Takes the next reference id, for an object that is made later. */
static inline bool add(struct reader *reader, uint32_t *id) {
    struct hw_root_range *objects = &reader->codec->objects;

    if (UNLIKELY(objects->count == reader->codec->object_limit)) return fail(reader, HW_OBJECTS_NO_WORKSPACE);
    *id = objects->count++;
    reader->objects[*id] = 0;
    return true;
}

/* Takes places among the held roots, initially null. They are released in reverse order. */
static inline bool hold(struct reader *reader, uint32_t count, uint32_t *first) {
    struct hw_root_range *held = &reader->codec->held;

    if (UNLIKELY(reader->codec->held_limit - held->count < count)) return fail(reader, HW_OBJECTS_NO_WORKSPACE);
    *first = held->count;
    for (; count; count--) held->base[held->count++] = 0;
    return true;
}

/* Input.readString: reads a string or a null into a root. A safepoint. */
bool kryo_read_string(struct reader *reader, hw_ref *slot);

/* Reads an array of a primitive type with its length, or a null, into a root. A safepoint. */
bool kryo_read_primitives(struct reader *reader, uint32_t class, hw_ref *slot);

/* Generic: reads the next value, which the caller must store before the next allocation. Pushes a frame if more of it
 * is to come. */
bool kryo_read_value(struct reader *reader, struct want want, hw_ref *value);

/* A reader: reads the input's root by `read` into a held root. Inlined, as `read` is. */
static inline __attribute__((always_inline)) struct hw_objects_result kryo_read_by(
    struct hw_kryo *codec, const void *input, uint32_t length, hw_handle *root,
    bool (*read)(struct reader *reader, uint32_t held)) {
    struct kryo_read_frame *frames = codec->frames;
    struct reader reader = {
        .at = input,
        .end = (const uint8_t *)input + length,
        .codec = codec,
        .objects = codec->objects.base,
        .first = frames,
        .top = frames,
        .limit = frames + codec->frame_bytes / sizeof *frames,
    };
    uint32_t held = 0;

    codec->objects.count = codec->held.count = 0;
    hw_root_range_add(&codec->objects);
    hw_root_range_add(&codec->held);
    hw_ref value = hold(&reader, 1, &held) && read(&reader, held) ? codec->held.base[held] : 0;

    *root = value ? hw_handle_new(value) : NULL;
    if (value && !*root) {
        hw_error_raise(HW_STATUS_NO_HANDLE);
        reader.status = HW_OBJECTS_NO_MEMORY;
    }
    hw_root_range_remove(&codec->objects);
    hw_root_range_remove(&codec->held);
    return (struct hw_objects_result){reader.status, (uint32_t)(reader.at - (const uint8_t *)input)};
}

#endif
