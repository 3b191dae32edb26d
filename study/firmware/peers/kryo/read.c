/* Generic reading of objects in Kryo's order, with a frame for each unfinished object. An object is stored where it
 * belongs as soon as it exists, before its contents are read. Only a map has to wait for its keys. */
#include "classes.h"
#include "peers/kryo/reader.h"
#include "runtime/heap/card.h"

#define NO_PLACE UINT32_MAX

/* Where a value is stored: a reference in an object or in an ArrayList's array, or a held root. */
struct place {
    struct want want;
    uint32_t id, offset;
    uint32_t accepts;
    uint32_t held; /* place among the held roots; NO_PLACE: none */
    bool list;
};

/* Reads fields up to the first reference. Returns false if there is none, or on an error. */
static bool next_field(struct reader *reader, struct kryo_read_frame *frame, struct place *place) {
    const struct hw_kryo_field *field = frame->field, *end = field + frame->count;
    hw_ref object = reader->objects[frame->id];

    for (; field != end; field++) {
        if (field->type == 'L' || field->type == '[') {
            place->want = (struct want){.exact = field->exact, .generic = field->generic, .nullable = true};
            place->offset = field->offset;
            place->accepts = field->accepts;
            frame->field = field + 1;
            frame->count = (uint32_t)(end - field) - 1;
            if (frame->count == 0) reader->top--;
            return true;
        }
        if (!kryo_read_primitive(reader, hw_pointer(object + field->offset), field->type)) return false;
    }
    reader->top--;
    return false;
}

static bool enter(struct reader *reader, struct kryo_read_frame *frame) {
    struct hw_root_range *held = &reader->codec->held;
    hw_ref *key = &held->base[frame->held], *value = key + 1;

    enum hw_objects_status status = enter_key((hw_handle)&reader->objects[frame->id], *key ? (hw_handle)key : NULL,
                                              *value ? (hw_handle)value : NULL);

    if (UNLIKELY(status != HW_OBJECTS_OK)) return fail(reader, status);
    frame->state = READ_KEY;
    if (--frame->count == 0) {
        held->count = frame->held;
        reader->top--;
    }
    return true;
}

/* Finds where the next value of the innermost unfinished object is stored. The frame of an object ends before its last
 * reference is read. Returns false on an error, or if everything has been read. */
static bool next_place(struct reader *reader, struct place *place) {
    while (reader->top != reader->first && reader->status == HW_OBJECTS_OK) {
        struct kryo_read_frame *frame = reader->top - 1;

        place->id = frame->id;
        place->held = NO_PLACE;
        place->list = false;
        switch (frame->state) {
            case READ_FIELDS:
                if (next_field(reader, frame, place)) return true;
                continue;
            case READ_ELEMENTS:
            case READ_LIST:
                place->want = frame->want;
                place->offset = ELEMENTS + 4 * frame->index++;
                reader->owed--;
                place->accepts = frame->accepts;
                place->list = frame->state == READ_LIST;
                if (frame->index == frame->count) reader->top--;
                return true;
            case READ_KEY:
                place->want = frame->want;
                place->held = frame->held;
                reader->owed--;
                frame->state = READ_MAPPED;
                return true;
            case READ_MAPPED:
                place->want = frame->mapped;
                place->held = frame->held + 1;
                reader->owed--;
                frame->state = READ_ENTRY;
                return true;
            default:
                if (!enter(reader, frame)) return false;
        }
    }
    return false;
}

static inline bool store(struct reader *reader, const struct place *place, hw_ref value, const uint8_t *start) {
    if (place->held != NO_PLACE) {
        reader->codec->held.base[place->held] = value;
        return true;
    }
    hw_ref object = reader->objects[place->id];

    if (place->list)
        object = *(const hw_ref *)hw_pointer(object + HW_CLASS_ArrayList_elementData);
    else if (value && UNLIKELY(!hw_serial_accepts(place->accepts, hw_serial_index(value))))
        return fail_at(reader, start, HW_OBJECTS_BAD_TYPE);
    hw_write(hw_pointer(object + place->offset), value);
    return true;
}

static bool read_graph(struct reader *reader, uint32_t root) {
    hw_ref *held = reader->codec->held.base, value;
    struct place place = {0};

    if (!kryo_read_value(reader, (struct want){.exact = HW_KRYO_OPEN}, &held[root])) return false;
    while (next_place(reader, &place)) {
        const uint8_t *start = reader->at;

        if (!kryo_read_value(reader, place.want, &value) || !store(reader, &place, value, start)) return false;
    }
    return reader->status == HW_OBJECTS_OK;
}

struct hw_objects_result hw_kryo_read(struct hw_kryo *codec, const void *input, uint32_t length, hw_handle *root) {
    return kryo_read_by(codec, input, length, root, read_graph);
}
