/* The hand-written writer. */
#include "peers/kryo/writer.h"

/* Writes an object that is not null. */
typedef bool write_one(struct writer *writer, hw_ref object);

/* Writes the ordinal plus 1; 0 for null. */
static bool write_enum(struct writer *writer, hw_ref constant) {
    return write_varint(writer, constant ? AT(constant, uint32_t, Enum_ordinal) + 1 : 0);
}

static const void *elements(hw_ref array) { return hw_pointer(array + ELEMENTS); }

/* Writes the length of an array plus 1; 0 for null. */
static bool write_length(struct writer *writer, hw_ref array) {
    return write_varint(writer, array ? hw_array_length(array) + 1 : 0);
}

static bool write_array(struct writer *writer, hw_ref array, uint8_t type) {
    return write_length(writer, array) &&
           (!array || kryo_write_primitives(writer, type, elements(array), hw_array_length(array)));
}

static bool write_bytes(struct writer *writer, hw_ref array) { return write_array(writer, array, 'B'); }

static bool write_doubles(struct writer *writer, hw_ref array) { return write_array(writer, array, 'D'); }

static bool write_string(struct writer *writer, hw_ref string) { return kryo_write_string(writer, string); }

/* Writes the size of an ArrayList and its elements, each by `write`. No element may be null. The classes of the
 * elements are checked here, because a list accepts any object whatever its declaration says. */
static bool write_list(struct writer *writer, hw_ref list, const struct hw_klass *klass, write_one *write) {
    if (list == 0) return write_byte(writer, KRYO_NULL);
    if (UNLIKELY(hw_klass_of(hw_pointer(list)) != HW_CLASS_ArrayList)) return refuse(writer, HW_OBJECTS_UNSUPPORTED);
    if (UNLIKELY(!list_fits(list))) return refuse(writer, HW_OBJECTS_MALFORMED);
    uint32_t size = AT(list, uint32_t, ArrayList_size);

    if (!write_varint(writer, size + 1)) return false;
    for (const hw_ref *each = size ? elements(AT(list, hw_ref, ArrayList_elementData)) : NULL; size; size--, each++) {
        if (UNLIKELY(*each == 0)) return refuse(writer, HW_OBJECTS_UNSUPPORTED);
        if (UNLIKELY(hw_klass_of(hw_pointer(*each)) != klass)) return refuse(writer, HW_OBJECTS_BAD_TYPE);
        if (!write(writer, *each)) return false;
    }
    return true;
}

/* Writes the elements of an array of references. None may be null. */
static bool write_each(struct writer *writer, hw_ref array, write_one *write) {
    uint32_t length = array ? hw_array_length(array) : 0;

    if (!write_length(writer, array)) return false;
    for (const hw_ref *each = length ? elements(array) : NULL; length; length--, each++)
        if (*each == 0 ? !refuse(writer, HW_OBJECTS_UNSUPPORTED) : !write(writer, *each)) return false;
    return true;
}

/* Writes numbers that are not negative as short varints. */
static bool write_indices(struct writer *writer, hw_ref indices) {
    const uint32_t *each = indices ? elements(indices) : NULL;

    if (!write_length(writer, indices)) return false;
    for (uint32_t left = indices ? hw_array_length(indices) : 0; left; left--)
        if (!write_varint(writer, *each++)) return false;
    return true;
}

static bool write_whole(struct writer *writer, hw_ref object, write_one *write) {
    return object ? write(writer, object) : refuse(writer, HW_OBJECTS_UNSUPPORTED);
}

static bool write_vector(struct writer *writer, hw_ref vector);
#define write_frequencies write_vector

#define RECORD(name, class, fields) \
    static bool write_##name(struct writer *writer, hw_ref object) { return fields; }
#define ARRAY(name, class, each) \
    static bool write_##name(struct writer *writer, hw_ref array) { return write_each(writer, array, write_##each); }
#define VARINT(name) write_varint(writer, AT(object, uint32_t, name))
#define STRING(name) kryo_write_string(writer, AT(object, hw_ref, name))
#define PRIMITIVE(name, type) write_known(writer, hw_pointer(object + HW_CLASS_##name), type)
#define ENUM(name, class) write_enum(writer, AT(object, hw_ref, name))
#define LIST(name, class, each) write_list(writer, AT(object, hw_ref, name), HW_CLASS_##class, write_##each)
#define FIELD(name, by) write_##by(writer, AT(object, hw_ref, name))
#define WHOLE(name, by) write_whole(writer, AT(object, hw_ref, name), write_##by)
#include "peers/kryo/manual_classes.h"

/* Writes 0 for null, 1 for a dense and 2 for a sparse vector. */
static bool write_vector(struct writer *writer, hw_ref vector) {
    if (!vector) return write_byte(writer, 0);
    const struct hw_klass *klass = hw_klass_of(hw_pointer(vector));

    if (klass == HW_CLASS_SparseVector) return write_byte(writer, 2) && write_sparse(writer, vector);
    if (klass != HW_CLASS_DenseVector) return refuse(writer, HW_OBJECTS_UNSUPPORTED);
    return write_byte(writer, 1) && write_dense(writer, vector);
}

static bool push_elements(struct writer *writer, hw_ref array) {
    uint32_t count = hw_array_length(array);
    struct kryo_write_frame *frame = frames_push(&writer->frames, sizeof *frame);

    if (UNLIKELY(!frame)) return refuse(writer, HW_OBJECTS_NO_WORKSPACE);
    frame->frame.at = array + ELEMENTS;
    frame->frame.count = count;
    return true;
}

/* Writes a value and the length of an array of nodes. Pushes a frame for the elements, if there are any. */
static bool write_node(struct writer *writer, const void *value, hw_ref array) {
    if (!write_known(writer, value, 'J') || !write_length(writer, array)) return false;
    return array == 0 || hw_array_length(array) == 0 || push_elements(writer, array);
}

/* Returns the next element of the innermost array. The last element ends the frame. */
static hw_ref next_element(struct writer *writer) {
    struct kryo_write_frame *frame = frames_last(&writer->frames, sizeof *frame);
    hw_ref element = frame_element(&frame->frame);

    if (frame->frame.count == 0) pop(writer);
    return element;
}

static bool write_tree(struct writer *writer, hw_ref root) {
    if (!write_node(writer, &AT(root, uint64_t, TreeNode_value), AT(root, hw_ref, TreeNode_children))) return false;
    while (!frames_empty(&writer->frames)) {
        hw_ref node = next_element(writer);

        if (!write_byte(writer, node ? KRYO_NOT_NULL : KRYO_NULL)) return false;
        if (node && !write_node(writer, &AT(node, uint64_t, TreeNode_value), AT(node, hw_ref, TreeNode_children)))
            return false;
    }
    return true;
}

static bool write_nodes(struct writer *writer, hw_ref root) {
    for (hw_ref node = root; node; node = AT(node, hw_ref, ListNode_next))
        if (!write_known(writer, &AT(node, uint64_t, ListNode_value), 'J') ||
            !write_byte(writer, AT(node, hw_ref, ListNode_next) != 0))
            return false;
    return true;
}

static bool write_graph(struct writer *writer, hw_ref root) {
    bool done;

    /* The root is the first object with a reference id. */
    if (!write_reference(writer, root, &done) ||
        !write_node(writer, &AT(root, uint64_t, GraphNode_value), AT(root, hw_ref, GraphNode_edges)))
        return false;
    while (!frames_empty(&writer->frames)) {
        hw_ref node = next_element(writer);

        if (node == 0) {
            if (!write_byte(writer, KRYO_NULL)) return false;
            continue;
        }
        if (!write_reference(writer, node, &done)) return false;
        if (!done && !write_node(writer, &AT(node, uint64_t, GraphNode_value), AT(node, hw_ref, GraphNode_edges)))
            return false;
    }
    return true;
}

static bool write_root(struct writer *writer, hw_ref root) {
#define ALONE(class, name) {HW_CLASS_##class, NULL, write_##name},
#define EITHER(class, name) {HW_CLASS_##class, HW_CLASS_##class##_array, write_##name},
    static const struct {
        const struct hw_klass *klass, *array;
        write_one *write;
    } roots[] = {MANUAL_ROOTS};

    if (!root) return write_byte(writer, KRYO_NULL);
    const struct hw_klass *klass = hw_klass_of(hw_pointer(root));

    for (uint32_t i = 0; i < sizeof roots / sizeof *roots; i++) {
        if (klass != roots[i].klass && klass != roots[i].array) continue;
        if (!write_varint(writer, hw_serial_classes[hw_serial_index(root)].kryo_id + 2u)) return false;
        return klass == roots[i].array ? write_each(writer, root, roots[i].write) : roots[i].write(writer, root);
    }
    return refuse(writer, HW_OBJECTS_UNSUPPORTED);
}

struct hw_objects_result hw_kryo_manual_write(struct hw_kryo *codec, hw_handle root, void *output, uint32_t capacity) {
    struct writer writer = kryo_writer(codec, output, capacity);

    write_root(&writer, root ? root->reference : 0);
    return writer_result(&writer, output);
}
