/* Reads the parts of objects that are their own bytes: fields of primitive types, what ArrayList and HashMap add,
 * arrays, constants of enums. */
#include "classes.h"
#include "peers/java/reader.h"
#include "runtime/heap/card.h"
#include "runtime/java/string.h"

static inline struct java_read_frame *push(struct reader *reader) {
    if (UNLIKELY(reader->top == reader->limit)) {
        fail(reader, HW_OBJECTS_NO_WORKSPACE);
        return NULL;
    }
    return reader->top++;
}

static inline bool get_fields(struct reader *reader, const struct hw_serial_class *level, hw_ref object) {
    const struct hw_serial_primitive *field = level->primitives, *end = field + level->primitive_count;
    const uint8_t *from = reader->at;

    if (!need(reader, level->primitive_bytes)) return false;
    for (; field != end; field++) {
        from = get_value(hw_pointer(object + field->offset), from, field->bytes);
        if (field->type == 'Z')
            *(uint8_t *)hw_pointer(object + field->offset) = *(uint8_t *)hw_pointer(object + field->offset) != 0;
    }
    reader->at = from;
    return true;
}

bool java_next_level(struct reader *reader, struct java_read_frame *frame) {
    if (frame->level_index == frame->class->level_count) {
        reader->top--;
        return true;
    }
    frame->level = &hw_serial_classes[frame->class->levels[frame->level_index++]];
    frame->state = READ_FIELDS;
    frame->index = 0;
    return get_fields(reader, frame->level, reader->objects[frame->slot]);
}

bool java_end_level(struct reader *reader, struct java_read_frame *frame) {
    if (!need(reader, 1)) return false;
    if (*reader->at != TC_ENDBLOCKDATA) return fail(reader, HW_OBJECTS_MALFORMED);
    reader->at++;
    return java_next_level(reader, frame);
}

/* Reads a block of `count` numbers, of which only the last is used. */
static bool read_block(struct reader *reader, uint32_t count, uint32_t *last) {
    if (!need(reader, 2 + 4 * count)) return false;
    if (reader->at[0] != TC_BLOCKDATA || reader->at[1] != 4 * count) return fail(reader, HW_OBJECTS_MALFORMED);
    *last = get32(reader->at + 2 + 4 * (count - 1));
    reader->at += 2 + 4 * count;
    return true;
}

static bool begin_list(struct reader *reader, struct java_read_frame *frame) {
    uint32_t capacity, size = *(uint32_t *)hw_pointer(reader->objects[frame->slot] + HW_CLASS_ArrayList_size);

    if (!read_block(reader, 1, &capacity)) return false;
    if (!claim(reader, size)) return false;
    hw_ref array = hw_allocate_array(HW_CLASS_Object_array, size);

    if (!array) return fail(reader, HW_OBJECTS_NO_MEMORY);
    hw_write(hw_pointer(reader->objects[frame->slot] + HW_CLASS_ArrayList_elementData), array);
    frame->state = READ_LIST;
    frame->count = size;
    return true;
}

static bool begin_map(struct reader *reader, struct java_read_frame *frame) {
    float load_factor = *(float *)hw_pointer(reader->objects[frame->slot] + HW_CLASS_HashMap_loadFactor);
    uint32_t size;

    if (!read_block(reader, 2, &size)) return false;
    if (size > left(reader)) return fail(reader, HW_OBJECTS_TRUNCATED);
    if (!claim(reader, 2 * size)) return false;
    if (!(load_factor > 0)) return fail(reader, HW_OBJECTS_MALFORMED);
    if (!hw_hash_map_init_read((hw_handle)&reader->objects[frame->slot], load_factor, size))
        return fail(reader, HW_OBJECTS_NO_MEMORY);
    frame->state = READ_KEY;
    frame->count = size;
    return true;
}

bool java_begin_method(struct reader *reader, struct java_read_frame *frame) {
    return frame->level->method == HW_METHOD_LIST ? begin_list(reader, frame) : begin_map(reader, frame);
}

static hw_handle slot_handle(struct reader *reader, uint32_t slot) {
    return slot == NO_SLOT ? NULL : (hw_handle)&reader->objects[slot];
}

bool java_enter(struct reader *reader, struct java_read_frame *frame) {
    enum hw_objects_status status =
        enter_key(slot_handle(reader, frame->slot), slot_handle(reader, frame->key), slot_handle(reader, frame->value));

    if (UNLIKELY(status != HW_OBJECTS_OK)) return fail(reader, status);
    frame->state = READ_KEY;
    frame->count--;
    return true;
}

static bool read_array(struct reader *reader, uint32_t class) {
    const struct hw_serial_class *serial = &hw_serial_classes[class];

    if (serial->kind == HW_SERIAL_PRIMITIVES) return java_read_primitives(reader, class);
    if (!need(reader, 4)) return false;
    uint32_t length = get32(reader->at);

    reader->at += 4;
    if (!claim(reader, length)) {
        reader->at -= 4;
        return false;
    }
    hw_ref array = hw_allocate_array(&hw_java_klasses[class], length);

    if (!array) return fail(reader, HW_OBJECTS_NO_MEMORY);
    if (!add(reader, array)) return false;
    struct java_read_frame *frame = length ? push(reader) : NULL;

    if (length == 0 || !frame) return length == 0;
    *frame = (struct java_read_frame){.class = serial, .slot = reader->slot, .count = length, .state = READ_ELEMENTS};
    return true;
}

static bool read_object(struct reader *reader, uint32_t class) {
    const struct hw_serial_class *serial = &hw_serial_classes[class];
    hw_ref object = hw_allocate(&hw_java_klasses[class]);

    if (!object) return fail(reader, HW_OBJECTS_NO_MEMORY);
    if (!add(reader, object)) return false;
    if (serial->level_count == 1 && serial->reference_count == 0 && serial->method == HW_METHOD_NONE)
        return get_fields(reader, serial, object);
    struct java_read_frame *frame = push(reader);

    if (!frame) return false;
    frame->class = serial;
    frame->slot = reader->slot;
    frame->level_index = 0;
    return java_next_level(reader, frame);
}

/* The constant has a handle before its name is known. Its slot stays empty until then. */
static bool read_enum(struct reader *reader, uint32_t class) {
    const struct hw_serial_class *serial = &hw_serial_classes[class];
    uint32_t slot, name, ordinal = 0;

    if (!add(reader, 0) || !need(reader, 1)) return false;
    slot = reader->slot;
    const uint8_t *start = reader->at++;

    if (*start == TC_STRING) {
        if (!java_read_string(reader, TC_STRING)) return false;
        name = reader->slot;
    } else if (*start != TC_REFERENCE) {
        return fail(reader, HW_OBJECTS_MALFORMED);
    } else if (!read_reference(reader, &name)) {
        return false;
    }
    hw_ref text = reader->objects[name];

    reader->slot = slot;
    if ((text & 7) != 0 || hw_serial_classes[hw_serial_index(text)].kind != HW_SERIAL_STRING)
        return fail_at(reader, start, HW_OBJECTS_MALFORMED);
    for (; ordinal < hw_classes[class].constant_count; ordinal++) {
        hw_ref constant = hw_enum_constant(serial->first_constant + ordinal);

        if (hw_string_equals((hw_handle)&reader->objects[name], (hw_handle)hw_pointer(constant + HW_CLASS_Enum_name))) {
            reader->objects[slot] = constant;
            return true;
        }
    }
    return fail_at(reader, start, HW_OBJECTS_MALFORMED);
}

bool java_read_described(struct reader *reader, uint8_t tag) {
    const uint8_t *start = reader->at;
    uint32_t class;

    if (!java_read_descriptor(reader, &class)) return false;
    uint8_t kind = hw_serial_classes[class].kind;

    if (tag == TC_ENUM && kind == HW_SERIAL_ENUM && hw_serial_classes[class].enum_class == class)
        return read_enum(reader, class);
    if (tag == TC_OBJECT && kind == HW_SERIAL_OBJECT) return read_object(reader, class);
    if (tag == TC_ARRAY && (kind == HW_SERIAL_PRIMITIVES || kind == HW_SERIAL_REFERENCES))
        return read_array(reader, class);
    return fail_at(reader, start, kind == HW_SERIAL_NONE ? HW_OBJECTS_UNSUPPORTED : HW_OBJECTS_MALFORMED);
}
