/* The hand-written reader. An object is made first, in a held root. Its referents are read into another held root. */
#include "classes.h"
#include "peers/kryo/reader.h"
#include "runtime/heap/card.h"

/* Reads an object into the last held root. */
typedef bool read_one(struct reader *reader, uint32_t held);

static inline hw_ref held_at(struct reader *reader, uint32_t held) { return reader->codec->held.base[held]; }

/* Make a new object, or array, in a held root. */
static inline bool new_object(struct reader *reader, const struct hw_klass *klass, uint32_t held) {
    return LIKELY((reader->codec->held.base[held] = hw_allocate(klass)) != 0) || fail(reader, HW_OBJECTS_NO_MEMORY);
}

static inline bool new_array(struct reader *reader, const struct hw_klass *klass, uint32_t length, uint32_t held) {
    return LIKELY((reader->codec->held.base[held] = hw_allocate_array(klass, length)) != 0) ||
           fail(reader, HW_OBJECTS_NO_MEMORY);
}

static inline void store(struct reader *reader, uint32_t held, uint32_t offset, uint32_t value) {
    hw_write(hw_pointer(held_at(reader, held) + offset), held_at(reader, value));
}

static inline void release(struct reader *reader, uint32_t held) { reader->codec->held.count = held; }

static bool read_primitives(struct reader *reader, uint32_t held, const struct hw_klass *klass) {
    return kryo_read_primitives(reader, klass->id - HW_FIRST_CLASS_ID, &reader->codec->held.base[held]);
}

static bool read_bytes(struct reader *reader, uint32_t held) {
    return read_primitives(reader, held, HW_CLASS_byte_array);
}

static bool read_doubles(struct reader *reader, uint32_t held) {
    return read_primitives(reader, held, HW_CLASS_double_array);
}

static bool read_string(struct reader *reader, uint32_t held) {
    return kryo_read_string(reader, &reader->codec->held.base[held]);
}

/* Reads a value with `read` and stores it in a field of the object. */
static inline bool read_field(struct reader *reader, uint32_t held, uint32_t offset, read_one *read) {
    uint32_t value;

    if (!hold(reader, 1, &value) || !read(reader, value)) return false;
    store(reader, held, offset, value);
    release(reader, value);
    return true;
}

static bool read_enum_field(struct reader *reader, uint32_t held, uint32_t offset, const struct hw_klass *klass) {
    uint32_t class = klass->id - HW_FIRST_CLASS_ID, ordinal;
    const uint8_t *start = reader->at;

    if (!read_varint(reader, &ordinal)) return false;
    if (ordinal > hw_classes[class].constant_count) return fail_at(reader, start, HW_OBJECTS_MALFORMED);
    hw_write(hw_pointer(held_at(reader, held) + offset),
             ordinal ? hw_enum_constant(hw_serial_classes[class].first_constant + ordinal - 1) : 0);
    return true;
}

/* Reads an array of references into a held root, each element by `read`. The root stays null if the stream has a
 * null. */
static bool read_each(struct reader *reader, uint32_t held, const struct hw_klass *klass, read_one *read) {
    uint32_t length;
    bool null;

    if (!kryo_read_length(reader, 0, &length, &null) || null) return reader->status == HW_OBJECTS_OK;
    if (!new_array(reader, klass, length, held)) return false;
    reader->owed += length;
    for (uint32_t i = 0; i < length; i++) {
        reader->owed--;
        if (!read_field(reader, held, ELEMENTS + 4 * i, read)) return false;
    }
    return true;
}

static bool read_list_field(struct reader *reader, uint32_t held, uint32_t offset, read_one *read) {
    uint32_t list, array;

    if (!hold(reader, 1, &list) || !hold(reader, 1, &array) || !read_each(reader, array, HW_CLASS_Object_array, read))
        return false;
    if (held_at(reader, array)) {
        if (!new_object(reader, HW_CLASS_ArrayList, list)) return false;
        AT(held_at(reader, list), uint32_t, ArrayList_size) = hw_array_length(held_at(reader, array));
        store(reader, list, HW_CLASS_ArrayList_elementData, array);
    }
    store(reader, held, offset, list);
    release(reader, list);
    return true;
}

static bool read_indices(struct reader *reader, uint32_t held) {
    uint32_t length;
    bool null;

    if (!kryo_read_length(reader, 0, &length, &null) || null) return reader->status == HW_OBJECTS_OK;
    if (!new_array(reader, HW_CLASS_int_array, length, held)) return false;
    uint32_t *each = hw_pointer(held_at(reader, held) + ELEMENTS);

    for (; length; length--)
        if (!read_varint(reader, each++)) return false;
    return true;
}

static read_one read_vector, read_frequencies;

#define RECORD(name, class, fields)                                  \
    static bool read_##name(struct reader *reader, uint32_t held) {  \
        return new_object(reader, HW_CLASS_##class, held) && fields; \
    }
#define ARRAY(name, class, each)                                               \
    static bool read_##name(struct reader *reader, uint32_t held) {            \
        return read_each(reader, held, HW_CLASS_##class##_array, read_##each); \
    }
#define VARINT(name) read_varint(reader, hw_pointer(held_at(reader, held) + HW_CLASS_##name))
#define STRING(name) FIELD(name, string)
#define PRIMITIVE(name, type) read_known(reader, hw_pointer(held_at(reader, held) + HW_CLASS_##name), type)
#define ENUM(name, class) read_enum_field(reader, held, HW_CLASS_##name, HW_CLASS_##class)
#define LIST(name, class, each) read_list_field(reader, held, HW_CLASS_##name, read_##each)
#define FIELD(name, by) read_field(reader, held, HW_CLASS_##name, read_##by)
#define WHOLE FIELD
#include "peers/kryo/manual_classes.h"

static bool read_vector(struct reader *reader, uint32_t held) {
    const uint8_t *start = reader->at;
    uint8_t kind;

    if (!read_byte(reader, &kind) || kind == 0) return reader->status == HW_OBJECTS_OK;
    if (kind == 2) return read_sparse(reader, held);
    if (kind == 1) return read_dense(reader, held);
    return fail_at(reader, start, HW_OBJECTS_MALFORMED);
}

/* Reads a vector where a document may only have a sparse one. */
static bool read_frequencies(struct reader *reader, uint32_t held) {
    const uint8_t *start = reader->at;

    if (start < reader->end && *start == 1) return fail(reader, HW_OBJECTS_BAD_TYPE);
    return read_vector(reader, held);
}

static struct kryo_read_frame *push(struct reader *reader, uint32_t node, uint32_t count) {
    if (UNLIKELY(reader->top == reader->limit)) {
        fail(reader, HW_OBJECTS_NO_WORKSPACE);
        return NULL;
    }
    struct kryo_read_frame *frame = reader->top++;

    reader->owed += count;
    frame->id = node;
    frame->index = 0;
    frame->count = count;
    return frame;
}

/* Reads a node into a held root, and pushes its frame if it has children. The root stays held until the frame ends. */
static bool read_tree_node(struct reader *reader, uint32_t held) {
    uint32_t count;
    bool null;

    if (!new_object(reader, HW_CLASS_TreeNode, held) ||
        !read_known(reader, &AT(held_at(reader, held), uint64_t, TreeNode_value), 'J') ||
        !kryo_read_length(reader, 0, &count, &null))
        return false;
    if (null) return true;
    hw_ref array = hw_allocate_array(HW_CLASS_TreeNode_array, count);

    if (!array) return fail(reader, HW_OBJECTS_NO_MEMORY);
    hw_write(&AT(held_at(reader, held), hw_ref, TreeNode_children), array);
    return count == 0 || push(reader, held, count);
}

static bool read_tree(struct reader *reader, uint32_t held) {
    uint32_t child;
    uint8_t there;

    if (!read_tree_node(reader, held)) return false;
    while (reader->top != reader->first) {
        struct kryo_read_frame *frame = reader->top - 1;
        uint32_t offset = ELEMENTS + 4 * frame->index, parent = frame->id;

        if (frame->index == frame->count) {
            /* From now on the parent keeps the finished node alive. */
            reader->top--;
            release(reader, parent + (parent == held));
            continue;
        }
        frame->index++;
        reader->owed--;
        if (!read_byte(reader, &there)) return false;
        if (there != KRYO_TRUE) continue;
        if (!hold(reader, 1, &child) || !read_tree_node(reader, child)) return false;
        hw_write(hw_pointer(AT(held_at(reader, parent), hw_ref, TreeNode_children) + offset), held_at(reader, child));
        if (reader->top - 1 == frame) release(reader, child);
    }
    return true;
}

static bool read_nodes(struct reader *reader, uint32_t held) {
    uint32_t tail;
    uint8_t more = 1;

    if (!hold(reader, 1, &tail) || !new_object(reader, HW_CLASS_ListNode, held)) return false;
    reader->codec->held.base[tail] = held_at(reader, held);
    for (;;) {
        if (!read_known(reader, &AT(held_at(reader, tail), uint64_t, ListNode_value), 'J') || !read_byte(reader, &more))
            return false;
        if (more != KRYO_TRUE) break;
        hw_ref next = hw_allocate(HW_CLASS_ListNode);

        if (!next) return fail(reader, HW_OBJECTS_NO_MEMORY);
        hw_write(&AT(held_at(reader, tail), hw_ref, ListNode_next), next);
        reader->codec->held.base[tail] = next;
    }
    release(reader, tail);
    return true;
}

/* Kryo.readReferenceOrNull: reads a reference, or a node up to its edges. `nullable`: it may be null. */
static bool read_graph_node(struct reader *reader, hw_ref *node, bool nullable) {
    const uint8_t *start = reader->at;
    uint32_t id, count;
    bool null;

    *node = 0;
    if (!read_varint(reader, &id)) return false;
    if (id == KRYO_NULL && nullable) return true;
    if (id != KRYO_NOT_NULL) {
        if (id - 2 >= reader->codec->objects.count) return fail_at(reader, start, HW_OBJECTS_BAD_REFERENCE);
        *node = reader->objects[id - 2];
        return true;
    }
    if (!add(reader, &id)) return false;
    if (!(reader->objects[id] = hw_allocate(HW_CLASS_GraphNode))) return fail(reader, HW_OBJECTS_NO_MEMORY);
    if (!read_known(reader, &AT(reader->objects[id], uint64_t, GraphNode_value), 'J') ||
        !kryo_read_length(reader, 0, &count, &null))
        return false;
    if (!null) {
        hw_ref array = hw_allocate_array(HW_CLASS_GraphNode_array, count);

        if (!array) return fail(reader, HW_OBJECTS_NO_MEMORY);
        hw_write(&AT(reader->objects[id], hw_ref, GraphNode_edges), array);
        if (count != 0 && !push(reader, id, count)) return false;
    }
    *node = reader->objects[id];
    return true;
}

static bool read_graph(struct reader *reader, uint32_t held) {
    hw_ref node;

    if (!read_graph_node(reader, &node, false)) return false;
    reader->codec->held.base[held] = node;
    while (reader->top != reader->first) {
        struct kryo_read_frame *frame = reader->top - 1;
        uint32_t offset = ELEMENTS + 4 * frame->index++, parent = frame->id;

        reader->owed--;
        if (frame->index == frame->count) reader->top--;
        if (!read_graph_node(reader, &node, true)) return false;
        hw_write(hw_pointer(AT(reader->objects[parent], hw_ref, GraphNode_edges) + offset), node);
    }
    return true;
}

static bool read_root(struct reader *reader, uint32_t held) {
#define ALONE(class, name) {HW_CLASS_##class, NULL, read_##name},
#define EITHER(class, name) {HW_CLASS_##class, HW_CLASS_##class##_array, read_##name},
    static const struct {
        const struct hw_klass *klass, *array;
        read_one *read;
    } roots[] = {MANUAL_ROOTS};
    const uint8_t *start = reader->at;
    uint32_t id;

    if (!read_varint(reader, &id) || id == KRYO_NULL) return reader->status == HW_OBJECTS_OK;
    for (uint32_t i = 0; i < sizeof roots / sizeof *roots; i++)
        for (uint32_t array = 0; array < 2; array++) {
            const struct hw_klass *klass = array ? roots[i].array : roots[i].klass;

            if (klass && id == hw_serial_classes[klass->id - HW_FIRST_CLASS_ID].kryo_id + 2u)
                return array ? read_each(reader, held, klass, roots[i].read) : roots[i].read(reader, held);
        }
    return fail_at(reader, start, HW_OBJECTS_BAD_CLASS);
}

struct hw_objects_result hw_kryo_manual_read(struct hw_kryo *codec, const void *input, uint32_t length,
                                             hw_handle *root) {
    return kryo_read_by(codec, input, length, root, read_root);
}
