/* Generic reading of the parts of objects that are their own bytes, and of what precedes them. */
#include "classes.h"
#include "peers/kryo/reader.h"
#include "runtime/heap/card.h"

static struct kryo_read_frame *push(struct reader *reader, enum read_state state, uint32_t id, uint32_t count,
                                    struct want want) {
    if (UNLIKELY(reader->top == reader->limit)) {
        fail(reader, HW_OBJECTS_NO_WORKSPACE);
        return NULL;
    }
    struct kryo_read_frame *frame = reader->top++;

    frame->state = (uint8_t)state;
    frame->id = id;
    frame->index = 0;
    frame->count = count;
    frame->want = want;
    return frame;
}

/* Reads a class id; the class is HW_KRYO_OPEN for a null. */
static bool read_class(struct reader *reader, uint16_t *class) {
    const uint8_t *start = reader->at;
    uint32_t id;

    if (!read_varint(reader, &id)) return false;
    *class = HW_KRYO_OPEN;
    if (id == 0) return true;
    if (id >= 2 && id - 2 < hw_kryo_class_count && (*class = hw_kryo_classes[id - 2]) != HW_KRYO_UNKNOWN) return true;
    return fail_at(reader, start, id == 1 ? HW_OBJECTS_UNSUPPORTED : HW_OBJECTS_BAD_CLASS);
}

static bool make(struct reader *reader, uint32_t class, uint32_t id) {
    return LIKELY((reader->objects[id] = hw_allocate(&hw_java_klasses[class])) != 0) ||
           fail(reader, HW_OBJECTS_NO_MEMORY);
}

static bool read_list(struct reader *reader, uint32_t class, uint32_t id, uint32_t generic) {
    struct want want = want_argument(generic, 0);
    const uint8_t *start = reader->at;
    uint32_t size;
    uint8_t nulls;
    bool flag;

    want.generic = want_argument(generic, 1).generic;
    if (!kryo_read_varint_flag(reader, &flag, &size)) return false;
    if (size == 0) return true;
    size--;
    if (want.exact != HW_KRYO_OPEN) {
        want.nullable = flag;
    } else if (flag && size != 0) {
        if (!read_class(reader, &want.exact)) return false;
        if (want.exact != HW_KRYO_OPEN) {
            if (!read_byte(reader, &nulls)) return false;
            want.nullable = nulls == 1;
        }
    } else {
        flag = false;
    }
    bool empty = flag && want.exact == HW_KRYO_OPEN; /* all elements are null, and the stream has none of them */

    if (!empty) {
        if (size > unclaimed(reader)) return fail_at(reader, start, HW_OBJECTS_TRUNCATED);
        reader->owed += size;
    }
    if (!make(reader, class, id)) return false;
    hw_ref array = hw_allocate_array(HW_CLASS_Object_array, size);

    if (!array) return fail(reader, HW_OBJECTS_NO_MEMORY);
    hw_write(&AT(reader->objects[id], hw_ref, ArrayList_elementData), array);
    AT(reader->objects[id], uint32_t, ArrayList_size) = size;
    return empty || size == 0 || push(reader, READ_LIST, id, size, want);
}

static bool read_map(struct reader *reader, uint32_t class, uint32_t id, uint32_t generic) {
    uint32_t size, held;
    bool null;

    if (!kryo_read_length(reader, 1, &size, &null)) return false;
    if (null) return true;
    if (!make(reader, class, id)) return false;
    hw_hash_map_init((hw_handle)&reader->objects[id], size < 3 ? size + 1 : size + size / 3 + 1);
    if (size == 0) return true;
    struct kryo_read_frame *frame =
        hold(reader, 2, &held) ? push(reader, READ_KEY, id, size, want_argument(generic, 0)) : NULL;

    if (!frame) return false;
    reader->owed += 2 * size;
    frame->held = held;
    frame->mapped = want_argument(generic, 1);
    return true;
}

static bool read_array(struct reader *reader, uint32_t class, uint32_t id) {
    const struct hw_serial_class *serial = &hw_serial_classes[class];
    uint32_t length;
    bool null;

    if (!kryo_read_length(reader, 0, &length, &null)) return false;
    if (null) return true;
    hw_ref array = hw_allocate_array(&hw_java_klasses[class], length);

    if (!array) return fail(reader, HW_OBJECTS_NO_MEMORY);
    reader->objects[id] = array;
    if (length == 0) return true;
    struct kryo_read_frame *frame =
        push(reader, READ_ELEMENTS, id, length, (struct want){.exact = serial->element_exact, .nullable = true});

    if (!frame) return false;
    reader->owed += length;
    frame->accepts = serial->element_type;
    return true;
}

/* Reads boxes and constants of enums, which have no reference id. */
static bool read_small(struct reader *reader, uint32_t class, hw_ref *value) {
    const struct hw_serial_class *serial = &hw_serial_classes[class];
    uint32_t ordinal;

    if (serial->kryo_kind == HW_KRYO_BOX) {
        if (!(*value = hw_allocate(&hw_java_klasses[class]))) return fail(reader, HW_OBJECTS_NO_MEMORY);
        return kryo_read_primitive(reader, hw_pointer(*value + serial->primitives->offset), serial->primitives->type);
    }
    const uint8_t *start = reader->at;

    if (!read_varint(reader, &ordinal)) return false;
    *value = 0;
    if (ordinal == 0) return true;
    if (ordinal > hw_classes[class].constant_count) return fail_at(reader, start, HW_OBJECTS_MALFORMED);
    *value = hw_enum_constant(serial->first_constant + ordinal - 1);
    return true;
}

static bool read_contents(struct reader *reader, uint32_t class, uint32_t id, uint32_t generic) {
    const struct hw_serial_class *serial = &hw_serial_classes[class];
    struct kryo_read_frame *frame;

    switch (serial->kryo_kind) {
        case HW_KRYO_FIELDS:
            if (!make(reader, class, id)) return false;
            if (!(frame = push(reader, READ_FIELDS, id, serial->kryo_field_count, OPEN_WANT))) return false;
            frame->field = serial->kryo_fields;
            return true;
        case HW_KRYO_STRING:
            return kryo_read_string(reader, &reader->objects[id]);
        case HW_KRYO_PRIMITIVES:
            return kryo_read_primitives(reader, class, &reader->objects[id]);
        case HW_KRYO_REFERENCES:
            return read_array(reader, class, id);
        case HW_KRYO_LIST:
            return read_list(reader, class, id, generic);
        case HW_KRYO_MAP:
            return read_map(reader, class, id, generic);
        default:
            return fail(reader, HW_OBJECTS_UNSUPPORTED);
    }
}

/* Reads the next value. The caller must store it before the next allocation. */
bool kryo_read_value(struct reader *reader, struct want want, hw_ref *value) {
    const uint8_t *start = reader->at;
    uint16_t class = want.exact;
    uint32_t id;

    *value = 0;
    if (class == HW_KRYO_OPEN) {
        if (!read_class(reader, &class)) return false;
        if (class == HW_KRYO_OPEN) return true;
    }
    uint8_t kind = class == HW_KRYO_UNKNOWN ? HW_KRYO_NONE : hw_serial_classes[class].kryo_kind;
    bool small = kind == HW_KRYO_BOX || kind == HW_KRYO_ENUM, exact = want.exact != HW_KRYO_OPEN;

    if (small && !(exact && want.nullable)) return read_small(reader, class, value);
    if (!read_varint(reader, &id)) return false;
    if (id == KRYO_NULL && exact && want.nullable) return true;
    if (small) return read_small(reader, class, value);
    if (id != KRYO_NOT_NULL) {
        if (id - 2 >= reader->codec->objects.count || reader->objects[id - 2] == 0)
            return fail_at(reader, start, HW_OBJECTS_BAD_REFERENCE);
        *value = reader->objects[id - 2];
        return true;
    }
    if (kind == HW_KRYO_NONE) return fail(reader, HW_OBJECTS_UNSUPPORTED);
    if (!add(reader, &id) || !read_contents(reader, class, id, want.generic)) return false;
    *value = reader->objects[id];
    return true;
}
