/* What the parts of the writers share (peers/objects/writer.h). */
#ifndef HW_PEERS_KRYO_WRITER_H
#define HW_PEERS_KRYO_WRITER_H

#include "peers/kryo/kryo.h"
#include "peers/kryo/wire.h"
#include "peers/objects/writer.h"

enum write_state {
    WRITE_FIELDS, /* `count` fields are left, the next one at `field` */
};

/* An object whose contents are being written. */
struct kryo_write_frame {
    struct frame frame;
    const struct hw_kryo_field *field;
    struct want want;   /* of elements and keys */
    struct want mapped; /* of a map's values */
};

/* Pushes a frame for `count` values. Returns NULL on an error. */
static inline struct kryo_write_frame *push(struct writer *writer, uint16_t state, uint32_t count) {
    struct kryo_write_frame *frame = frames_push(&writer->frames, sizeof *frame);

    if (UNLIKELY(!frame)) {
        refuse(writer, HW_OBJECTS_NO_WORKSPACE);
        return NULL;
    }
    frame->frame.state = state;
    frame->frame.count = count;
    return frame;
}

static inline void pop(struct writer *writer) { frames_pop(&writer->frames, sizeof(struct kryo_write_frame)); }

static inline bool write_byte(struct writer *writer, uint8_t byte) {
    if (!room(writer, 1)) return false;
    *writer->at++ = byte;
    return true;
}

/* The slow paths: more than one byte, or no room. */
bool kryo_write_long_varint(struct writer *writer, uint32_t value);
bool kryo_write_varint_flag(struct writer *writer, bool flag, uint32_t value);

static inline __attribute__((always_inline)) bool write_varint(struct writer *writer, uint32_t value) {
    if (UNLIKELY(value >= 0x80 || writer->at == writer->end)) return kryo_write_long_varint(writer, value);
    *writer->at++ = (uint8_t)value;
    return true;
}

/* Writes a primitive value of a type: the first character of its descriptor, or POSITIVE_LONG. */
bool kryo_write_primitive(struct writer *writer, const void *from, uint8_t type);

/* Returns whether any number fits. Near the end of the output a number is made elsewhere, and copied if it fits. */
static inline bool ample(const struct writer *writer) {
    return LIKELY((uint32_t)(writer->end - writer->at) >= MAX_NUMBER);
}

/* The same, inlined, for a type that the compiler knows. */
static inline __attribute__((always_inline)) bool write_known(struct writer *writer, const void *from, uint8_t type) {
    if (!ample(writer)) return kryo_write_primitive(writer, from, type);
    writer->at = put_primitive(writer->at, from, type);
    return true;
}

/* Output.writeString; 0 is null. */
bool kryo_write_string(struct writer *writer, hw_ref string);

/* Writes the elements of an array of a primitive type, without its length. */
bool kryo_write_primitives(struct writer *writer, uint8_t type, const void *elements, uint32_t length);

/* Kryo.writeReferenceOrNull for an object that may have references to it. Sets `*done` if nothing is to follow. */
static inline bool write_reference(struct writer *writer, hw_ref object, bool *done) {
    struct identity *identity = writer->identity;
    struct identity_entry *entry = identity_find(identity, object);

    *done = identity_current(identity, entry->number);
    if (*done) return write_varint(writer, entry->number - identity->base + 2);
    if (!identity_add(identity, entry, object)) return refuse(writer, HW_OBJECTS_NO_WORKSPACE);
    return write_byte(writer, KRYO_NOT_NULL);
}

static inline struct writer kryo_writer(struct hw_kryo *codec, void *output, uint32_t capacity) {
    identity_begin(&codec->identity);
    return (struct writer){
        .at = output,
        .end = (uint8_t *)output + capacity,
        .identity = &codec->identity,
        .frames = frames_in(codec->frames, codec->frame_bytes, sizeof(struct kryo_write_frame)),
    };
}

#endif
