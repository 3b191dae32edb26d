/* Reads objects in the order of the stream, with a frame for each unfinished object. An object is stored where it
 * belongs as soon as it exists, before its contents are read. Only a map has to wait for its keys. */
#include "classes.h"
#include "peers/java/reader.h"
#include "runtime/heap/card.h"

/* Where a value is stored: a reference in the object of a slot, or in an ArrayList's array. */
struct place {
    uint32_t slot, offset, type;
    bool list;
    uint32_t *note; /* for a map: keeps the value's slot here and stores nothing yet */
};

/* Reads the next value, which gets the reader's `slot`. */
static bool read_value(struct reader *reader) {
    uint32_t slot;

    if (!need(reader, 1)) return false;
    uint8_t tag = *reader->at++;

    switch (tag) {
        case TC_NULL:
            reader->slot = NO_SLOT;
            return true;
        case TC_REFERENCE:
            if (!read_reference(reader, &slot)) return false;
            if ((reader->objects[slot] & 7) == MARK_TYPE && !java_read_type_as_string(reader, slot)) return false;
            reader->slot = slot;
            return (reader->objects[slot] & 7) == 0 || fail(reader, HW_OBJECTS_BAD_REFERENCE);
        case TC_STRING:
        case TC_LONGSTRING:
            return java_read_string(reader, tag);
        case TC_OBJECT:
        case TC_ARRAY:
        case TC_ENUM:
            return java_read_described(reader, tag);
        case TC_CLASSDESC:
        case TC_CLASS:
        case TC_RESET:
        case TC_EXCEPTION:
        case TC_PROXYCLASSDESC:
            reader->at--;
            return fail(reader, HW_OBJECTS_UNSUPPORTED);
        default:
            reader->at--;
            return fail(reader, HW_OBJECTS_MALFORMED);
    }
}

/* Finds where the next value of the innermost unfinished object is stored. The frame of an object ends before its last
 * reference is read. Returns false on an error, or if everything has been read. */
static bool next_place(struct reader *reader, struct place *place) {
    while (reader->top != reader->first) {
        struct java_read_frame *frame = reader->top - 1;
        const struct hw_serial_class *level = frame->level;

        *place = (struct place){.slot = frame->slot};
        switch (frame->state) {
            case READ_FIELDS:
                if (frame->index < level->reference_count) {
                    place->offset = level->references[frame->index].offset;
                    place->type = level->references[frame->index++].type;
                    if (frame->index == level->reference_count && frame->level_index == frame->class->level_count &&
                        level->method == HW_METHOD_NONE)
                        reader->top--;
                    return true;
                }
                if (!(level->method == HW_METHOD_NONE ? java_next_level(reader, frame)
                                                      : java_begin_method(reader, frame)))
                    return false;
                continue;
            case READ_ELEMENTS:
                place->offset = ELEMENTS + 4 * frame->index++;
                reader->owed--;
                place->type = frame->class->element_type;
                if (frame->index == frame->count) reader->top--;
                return true;
            case READ_LIST:
                if (frame->index < frame->count) {
                    place->list = true;
                    place->offset = ELEMENTS + 4 * frame->index++;
                    reader->owed--;
                    return true;
                }
                break;
            case READ_KEY:
                if (frame->count != 0) {
                    frame->state = READ_MAPPED;
                    place->note = &frame->key;
                    reader->owed--;
                    return true;
                }
                break;
            case READ_MAPPED:
                frame->state = READ_ENTRY;
                place->note = &frame->value;
                reader->owed--;
                return true;
            default:
                if (!java_enter(reader, frame)) return false;
                continue;
        }
        if (!java_end_level(reader, frame)) return false;
    }
    return false;
}

/* Stores the value that was just read. */
static inline bool store(struct reader *reader, const struct place *place, const uint8_t *start) {
    if (place->note) {
        *place->note = reader->slot;
        return true;
    }
    hw_ref object = reader->objects[place->slot], value = reader->slot == NO_SLOT ? 0 : reader->objects[reader->slot];

    if (place->list)
        object = *(const hw_ref *)hw_pointer(object + HW_CLASS_ArrayList_elementData);
    else if (value && UNLIKELY(!hw_serial_accepts(place->type, hw_serial_index(value))))
        return fail_at(reader, start, HW_OBJECTS_BAD_TYPE);
    hw_write(hw_pointer(object + place->offset), value);
    return true;
}

static bool read_graph(struct reader *reader) {
    struct place place;

    if (!need(reader, 4)) return false;
    if (get32(reader->at) != STREAM_HEADER) return fail(reader, HW_OBJECTS_MALFORMED);
    reader->at += 4;
    if (!read_value(reader)) return false;
    uint32_t root = reader->slot;

    while (next_place(reader, &place)) {
        const uint8_t *start = reader->at;

        if (!read_value(reader) || !store(reader, &place, start)) return false;
    }
    reader->slot = root;
    return reader->status == HW_OBJECTS_OK;
}

struct hw_objects_result hw_java_read(struct hw_java *codec, const void *input, uint32_t length, hw_handle *root) {
    struct java_read_frame *frames = codec->frames;
    struct reader reader = {
        .at = input,
        .end = (const uint8_t *)input + length,
        .codec = codec,
        .objects = codec->objects.base,
        .first = frames,
        .top = frames,
        .limit = frames + codec->frame_bytes / sizeof *frames,
    };

    *root = NULL;
    codec->objects.count = 0;
    hw_root_range_add(&codec->objects);
    if (read_graph(&reader) && reader.slot != NO_SLOT && !(*root = hw_handle_new(reader.objects[reader.slot]))) {
        hw_error_raise(HW_STATUS_NO_HANDLE);
        reader.status = HW_OBJECTS_NO_MEMORY;
    }
    hw_root_range_remove(&codec->objects);
    return (struct hw_objects_result){reader.status, (uint32_t)(reader.at - (const uint8_t *)input)};
}
