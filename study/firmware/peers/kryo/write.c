/* Generic writing of objects in Kryo's order, with a frame for each unfinished object. */
#include "peers/kryo/writer.h"

static bool push_elements(struct writer *writer, hw_ref array, uint32_t count, struct want want) {
    struct kryo_write_frame *frame = push(writer, FRAME_ELEMENTS, count);

    if (!frame) return false;
    frame->frame.at = array + ELEMENTS;
    frame->want = want;
    return true;
}

/* CollectionSerializer: if all elements have one class, it is written once, and a flag says whether any element is
 * null. */
static bool write_list(struct writer *writer, hw_ref list, uint32_t generic) {
    uint32_t size = AT(list, uint32_t, ArrayList_size);
    hw_ref array = AT(list, hw_ref, ArrayList_elementData);
    const hw_ref *element = hw_pointer(array + ELEMENTS), *end = element + size;
    const hw_ref open = 0;
    struct want want = want_argument(generic, 0);
    hw_ref klass = open;
    bool nulls = false, same = true;

    if (UNLIKELY(!list_fits(list))) return refuse(writer, HW_OBJECTS_MALFORMED);
    if (size == 0) return write_byte(writer, 1);
    /* The last type argument also applies to the elements. */
    want.generic = want_argument(generic, 1).generic;
    for (; element < end; element++) {
        if (*element == 0) {
            nulls = true;
        } else if (want.exact == HW_KRYO_OPEN) {
            hw_ref its = ((const struct hw_object *)hw_pointer(*element))->klass;

            same = klass == open || klass == its;
            klass = its;
            if (!same) break;
        }
    }
    want.nullable = nulls;
    if (want.exact != HW_KRYO_OPEN)
        return kryo_write_varint_flag(writer, nulls, size + 1) && push_elements(writer, array, size, want);
    if (!kryo_write_varint_flag(writer, same, size + 1)) return false;
    if (!same) return push_elements(writer, array, size, want);
    if (klass == open) return write_byte(writer, KRYO_NULL);
    uint32_t class = ((const struct hw_klass *)hw_pointer(klass))->id - HW_FIRST_CLASS_ID;

    if (class >= hw_class_count || hw_serial_classes[class].kryo_kind == HW_KRYO_NONE)
        return refuse(writer, HW_OBJECTS_UNSUPPORTED);
    want.exact = (uint16_t)class;
    if (hw_serial_classes[class].kryo_kind == HW_KRYO_ENUM) want.exact = hw_serial_classes[class].enum_class;
    return write_varint(writer, hw_serial_classes[want.exact].kryo_id + 2u) && write_byte(writer, nulls) &&
           push_elements(writer, array, size, want);
}

static bool write_map(struct writer *writer, hw_ref map, uint32_t generic) {
    uint32_t size = AT(map, uint32_t, HashMap_size);

    if (UNLIKELY(!map_fits(map))) return refuse(writer, HW_OBJECTS_MALFORMED);
    if (!write_varint(writer, size + 1) || size == 0) return size == 0 && writer->status == HW_OBJECTS_OK;
    struct kryo_write_frame *frame = push(writer, FRAME_KEY, size);

    if (!frame) return false;
    frame->frame.object = map;
    frame->frame.at = frame->frame.index = 0;
    frame->want = want_argument(generic, 0);
    frame->mapped = want_argument(generic, 1);
    return true;
}

static bool write_array(struct writer *writer, const struct hw_serial_class *class, hw_ref object) {
    uint32_t length = hw_array_length(object);

    if (!write_varint(writer, length + 1)) return false;
    if (class->kryo_kind == HW_KRYO_PRIMITIVES)
        return kryo_write_primitives(writer, class->element, hw_pointer(object + ELEMENTS), length);
    return length == 0 ||
           push_elements(writer, object, length, (struct want){.exact = class->element_exact, .nullable = true});
}

static bool write_contents(struct writer *writer, const struct hw_serial_class *class, hw_ref object,
                           uint32_t generic) {
    struct kryo_write_frame *frame;

    switch (class->kryo_kind) {
        case HW_KRYO_FIELDS:
            if (class->kryo_field_count == 0) return true;
            if (!(frame = push(writer, WRITE_FIELDS, class->kryo_field_count))) return false;
            frame->frame.object = object;
            frame->field = class->kryo_fields;
            return true;
        case HW_KRYO_BOX:
            return kryo_write_primitive(writer, hw_pointer(object + class->primitives->offset),
                                        class->primitives->type);
        case HW_KRYO_STRING:
            return kryo_write_string(writer, object);
        case HW_KRYO_ENUM:
            return write_varint(writer, AT(object, uint32_t, Enum_ordinal) + 1);
        case HW_KRYO_PRIMITIVES:
        case HW_KRYO_REFERENCES:
            return write_array(writer, class, object);
        case HW_KRYO_LIST:
            return write_list(writer, object, generic);
        case HW_KRYO_MAP:
            return write_map(writer, object, generic);
        default:
            return refuse(writer, HW_OBJECTS_UNSUPPORTED);
    }
}

static bool write_value(struct writer *writer, hw_ref value, struct want want) {
    bool done;

    if (value == 0) return write_byte(writer, KRYO_NULL);
    uint32_t index = hw_serial_index(value);
    const struct hw_serial_class *class = &hw_serial_classes[index];

    if (UNLIKELY(index >= hw_class_count) || UNLIKELY(class->kryo_kind == HW_KRYO_NONE) ||
        UNLIKELY(want.exact == HW_KRYO_UNKNOWN))
        return refuse(writer, HW_OBJECTS_UNSUPPORTED);
    if (want.exact == HW_KRYO_OPEN) {
        uint32_t id = class->kryo_kind == HW_KRYO_ENUM ? hw_serial_classes[class->enum_class].kryo_id : class->kryo_id;

        if (!write_varint(writer, id + 2)) return false;
    } else if (UNLIKELY(index != want.exact) &&
               !(class->kryo_kind == HW_KRYO_ENUM && class->enum_class == want.exact)) {
        return refuse(writer, HW_OBJECTS_BAD_TYPE); /* the reader takes the class as known */
    }
    if (class->kryo_kind == HW_KRYO_BOX || class->kryo_kind == HW_KRYO_ENUM) {
        if (want.exact != HW_KRYO_OPEN && want.nullable && !write_byte(writer, KRYO_NOT_NULL)) return false;
    } else {
        if (!write_reference(writer, value, &done)) return false;
        if (done) return true;
    }
    return write_contents(writer, class, value, want.generic);
}

/* Writes fields up to the first reference, which becomes `*value`. Returns false if all are written, or on an error. */
static bool next_field(struct writer *writer, struct kryo_write_frame *frame, hw_ref *value, struct want *want) {
    const struct hw_kryo_field *field = frame->field, *end = field + frame->frame.count;
    hw_ref object = frame->frame.object;

    for (; field != end; field++) {
        const void *at = hw_pointer(object + field->offset);

        if (field->type == 'L' || field->type == '[') {
            *value = *(const hw_ref *)at;
            *want = (struct want){.exact = field->exact, .generic = field->generic, .nullable = true};
            frame->field = field + 1;
            frame->frame.count = (uint32_t)(end - field) - 1;
            if (frame->frame.count == 0) pop(writer);
            return true;
        }
        if (!kryo_write_primitive(writer, at, field->type)) return false;
    }
    pop(writer);
    return false;
}

/* Finds the next value of the innermost unfinished object. Returns false on an error, or if everything has been
 * written. */
static bool next_value(struct writer *writer, hw_ref *value, struct want *want) {
    while (!frames_empty(&writer->frames) && writer->status == HW_OBJECTS_OK) {
        struct kryo_write_frame *frame = frames_last(&writer->frames, sizeof *frame);

        switch (frame->frame.state) {
            case WRITE_FIELDS:
                if (next_field(writer, frame, value, want)) return true;
                continue;
            case FRAME_ELEMENTS:
                *value = frame_element(&frame->frame);
                *want = frame->want;
                if (frame->frame.count == 0) pop(writer);
                return true;
            case FRAME_KEY:
                *want = frame->want;
                return frame_key(&frame->frame, value) || refuse(writer, HW_OBJECTS_MALFORMED);
            default:
                *value = frame_mapped(&frame->frame);
                *want = frame->mapped;
                if (frame->frame.count == 0) pop(writer);
                return true;
        }
    }
    return false;
}

struct hw_objects_result hw_kryo_write(struct hw_kryo *codec, hw_handle root, void *output, uint32_t capacity) {
    struct writer writer = kryo_writer(codec, output, capacity);
    hw_ref value = root ? root->reference : 0;
    struct want want = OPEN_WANT;

    do {
        if (!write_value(&writer, value, want)) break;
    } while (next_value(&writer, &value, &want));
    return writer_result(&writer, output);
}
