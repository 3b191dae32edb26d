/* Writes objects in the order of the stream: depth first, with a frame for each unfinished object. The frame of an
 * object ends before its last reference is written, so a linked list needs one frame, however long it is. */
#include <string.h>

#include "peers/java/writer.h"

static inline const hw_ref *element(hw_ref array, uint32_t index) {
    return (const hw_ref *)hw_pointer(array + HW_OBJECT_METADATA_ARRAY_ELEMENTS) + index;
}

static inline bool put_byte(struct writer *writer, uint8_t byte) {
    if (!room(writer, 1)) return false;
    *writer->at++ = byte;
    return true;
}

static inline struct java_write_frame *push(struct writer *writer) {
    struct java_write_frame *frame = frames_push(&writer->frames, sizeof *frame);

    if (UNLIKELY(!frame)) refuse(writer, HW_OBJECTS_NO_WORKSPACE);
    return frame;
}

static inline void pop(struct writer *writer) { frames_pop(&writer->frames, sizeof(struct java_write_frame)); }

static inline bool put_fields(struct writer *writer, const struct hw_serial_class *level, hw_ref object) {
    const struct hw_serial_primitive *field = level->primitives, *end = field + level->primitive_count;
    uint8_t *to = writer->at;

    if (!room(writer, level->primitive_bytes)) return false;
    for (; field != end; field++) to = put_value(to, hw_pointer(object + field->offset), field->bytes);
    writer->at = to;
    return true;
}

/* Goes on to the next Serializable class of the frame's object, or ends the frame. */
static bool next_level(struct writer *writer, struct java_write_frame *frame) {
    if (frame->frame.own == frame->class->level_count) {
        pop(writer);
        return true;
    }
    frame->level = &hw_serial_classes[frame->class->levels[frame->frame.own++]];
    frame->frame.state = WRITE_FIELDS;
    frame->frame.index = 0;
    return put_fields(writer, frame->level, frame->frame.object);
}

static bool end_level(struct writer *writer, struct java_write_frame *frame) {
    return put_byte(writer, TC_ENDBLOCKDATA) && next_level(writer, frame);
}

/* Begins what ArrayList and HashMap write themselves: a block of numbers. */
static bool begin_method(struct writer *writer, struct java_write_frame *frame) {
    struct frame *base = &frame->frame;
    hw_ref object = base->object;
    uint32_t numbers[2], count = 0;

    if (UNLIKELY(!(frame->level->method == HW_METHOD_LIST ? list_fits(object) : map_fits(object))))
        return refuse(writer, HW_OBJECTS_MALFORMED);
    if (frame->level->method == HW_METHOD_LIST) {
        base->state = WRITE_LIST;
        base->count = numbers[count++] = AT(object, uint32_t, ArrayList_size);
        base->at = base->count ? hw_reference(element(AT(object, hw_ref, ArrayList_elementData), 0)) : 0;
    } else {
        hw_ref table = AT(object, hw_ref, HashMap_table);
        uint32_t threshold = AT(object, uint32_t, HashMap_threshold);

        base->state = FRAME_KEY;
        base->at = base->index = 0;
        base->count = numbers[1] = AT(object, uint32_t, HashMap_size);
        numbers[0] = table ? hw_array_length(table) : threshold ? threshold : 16;
        count = 2;
    }
    if (!room(writer, 2 + 4 * count)) return false;
    *writer->at++ = TC_BLOCKDATA;
    *writer->at++ = (uint8_t)(4 * count);
    for (uint32_t i = 0; i < count; i++) writer->at = put32(writer->at, numbers[i]);
    return true;
}

static bool write_array(struct writer *writer, const struct hw_serial_class *class, hw_ref object) {
    uint32_t length = hw_array_length(object);

    if (!room(writer, 4)) return false;
    writer->at = put32(writer->at, length);
    if (class->kind == HW_SERIAL_PRIMITIVES) return java_write_primitives(writer, class, hw_pointer(object));
    if (length == 0) return true;
    struct java_write_frame *frame = push(writer);

    if (!frame) return false;
    frame->frame.state = FRAME_ELEMENTS;
    frame->frame.count = length;
    frame->frame.at = hw_reference(element(object, 0));
    return true;
}

static bool write_object(struct writer *writer, const struct hw_serial_class *class, hw_ref object) {
    /* Most objects have fields of one class only, and many of them have no references. */
    if (class->level_count == 1 && class->reference_count == 0 && class->method == HW_METHOD_NONE)
        return put_fields(writer, class, object);
    struct java_write_frame *frame = push(writer);

    if (!frame) return false;
    frame->class = class;
    frame->frame.object = object;
    frame->frame.own = 0;
    return next_level(writer, frame);
}

/* Writes a null, a reference, or an object that has not been written yet. The object's contents follow by its frame. */
static bool write_value(struct writer *writer, hw_ref value) {
    struct identity *identity = writer->identity;

    if (value == 0) return put_byte(writer, TC_NULL);
    struct identity_entry *entry = identity_find(identity, value);

    if (identity_current(identity, entry->number)) {
        if (!room(writer, 5)) return false;
        *writer->at++ = TC_REFERENCE;
        writer->at = put32(writer->at, entry->number - identity->base + BASE_HANDLE);
        return true;
    }
    uint32_t index = hw_serial_index(value);
    const struct hw_serial_class *class = &hw_serial_classes[index];

    if (UNLIKELY(index >= hw_class_count) || UNLIKELY(class->kind == HW_SERIAL_NONE))
        return refuse(writer, HW_OBJECTS_UNSUPPORTED);
    if (class->kind == HW_SERIAL_STRING) return java_write_string(writer, value, entry);
    if (class->kind == HW_SERIAL_ENUM) {
        if (!put_byte(writer, TC_ENUM) || !java_write_descriptor(writer, class->enum_class)) return false;
        if (!identity_add(identity, entry, value)) return refuse(writer, HW_OBJECTS_NO_WORKSPACE);
        return write_value(writer, AT(value, hw_ref, Enum_name));
    }
    if (!put_byte(writer, class->kind == HW_SERIAL_OBJECT ? TC_OBJECT : TC_ARRAY) ||
        !java_write_descriptor(writer, index))
        return false;
    if (!identity_add(identity, entry, value)) return refuse(writer, HW_OBJECTS_NO_WORKSPACE);
    return class->kind == HW_SERIAL_OBJECT ? write_object(writer, class, value) : write_array(writer, class, value);
}

/* Returns the next reference among a level's fields; there must be one. The last reference of the last level ends the
 * frame. */
static hw_ref next_reference(struct writer *writer, struct java_write_frame *frame) {
    struct frame *base = &frame->frame;
    const hw_ref *at = hw_pointer(base->object + frame->level->references[base->index++].offset);

    if (base->index == frame->level->reference_count && base->own == frame->class->level_count &&
        frame->level->method == HW_METHOD_NONE)
        pop(writer);
    return *at;
}

/* Finds the next value of the innermost unfinished object. Returns false on an error, or if everything has been
 * written. */
static bool next_value(struct writer *writer, hw_ref *value) {
    while (!frames_empty(&writer->frames)) {
        struct java_write_frame *frame = frames_last(&writer->frames, sizeof *frame);
        struct frame *base = &frame->frame;

        switch (base->state) {
            case WRITE_FIELDS:
                if (base->index < frame->level->reference_count) {
                    *value = next_reference(writer, frame);
                    return true;
                }
                if (!(frame->level->method == HW_METHOD_NONE ? next_level(writer, frame) : begin_method(writer, frame)))
                    return false;
                continue;
            case FRAME_ELEMENTS:
                *value = frame_element(base);
                if (base->count == 0) pop(writer);
                return true;
            case FRAME_MAPPED:
                *value = frame_mapped(base);
                return true;
            default:
                break;
        }
        if (base->count != 0) {
            if (base->state == FRAME_KEY) return frame_key(base, value) || refuse(writer, HW_OBJECTS_MALFORMED);
            *value = frame_element(base);
            return true;
        }
        if (!end_level(writer, frame)) return false;
    }
    return false;
}

/* Numbers start over, once in billions of objects. */
static void forget_numbers(struct hw_java *codec) {
    memset(codec->class_numbers, 0, hw_class_count * sizeof *codec->class_numbers);
    memset(codec->type_numbers, 0, hw_serial_type_count * sizeof *codec->type_numbers);
}

struct hw_objects_result hw_java_write(struct hw_java *codec, hw_handle root, void *output, uint32_t capacity) {
    struct writer writer = {
        .at = output,
        .end = (uint8_t *)output + capacity,
        .codec = codec,
        .identity = &codec->identity,
        .frames = frames_in(codec->frames, codec->frame_bytes, sizeof(struct java_write_frame)),
    };
    hw_ref value = root ? root->reference : 0;

    if (identity_begin(&codec->identity)) forget_numbers(codec);
    if (room(&writer, 4)) {
        writer.at = put32(writer.at, STREAM_HEADER);
        do {
            if (!write_value(&writer, value)) break;
        } while (next_value(&writer, &value));
    }
    return writer_result(&writer, output);
}
