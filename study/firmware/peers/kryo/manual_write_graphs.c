/* Hand-written writing of trees, lists and graphs. */
#include "peers/kryo/writer.h"

#include "peers/kryo/manual_parts.h"

static bool push_elements(struct writer *writer, hw_ref array) {
    uint32_t count = hw_array_length(array);
    struct kryo_write_frame *frame = frames_push(&writer->frames, sizeof *frame);

    if (UNLIKELY(!frame)) return refuse(writer, HW_OBJECTS_NO_WORKSPACE);
    frame->frame.at = array + MANUAL_ELEMENTS;
    frame->frame.count = count;
    return true;
}

/* Writes a value and the length of an array of nodes. Pushes a frame for the elements, if there are any. */
static bool write_node(struct writer *writer, const void *value, hw_ref array) {
    if (!write_known(writer, value, 'J') || !write_varint(writer, array ? hw_array_length(array) + 1 : 0)) return false;
    return array == 0 || hw_array_length(array) == 0 || push_elements(writer, array);
}

/* Returns the next element of the innermost array. The last element ends the frame. */
static hw_ref next_element(struct writer *writer) {
    struct kryo_write_frame *frame = frames_last(&writer->frames, sizeof *frame);
    hw_ref element = frame_element(&frame->frame);

    if (frame->frame.count == 0) pop(writer);
    return element;
}

bool kryo_write_tree(struct writer *writer, hw_ref root) {
    if (!write_node(writer, &AT(root, uint64_t, TreeNode_value), AT(root, hw_ref, TreeNode_children))) return false;
    while (!frames_empty(&writer->frames)) {
        hw_ref node = next_element(writer);

        if (!write_byte(writer, node ? KRYO_NOT_NULL : KRYO_NULL)) return false;
        if (node && !write_node(writer, &AT(node, uint64_t, TreeNode_value), AT(node, hw_ref, TreeNode_children)))
            return false;
    }
    return true;
}

bool kryo_write_nodes(struct writer *writer, hw_ref root) {
    for (hw_ref node = root; node; node = AT(node, hw_ref, ListNode_next))
        if (!write_known(writer, &AT(node, uint64_t, ListNode_value), 'J') ||
            !write_byte(writer, AT(node, hw_ref, ListNode_next) != 0))
            return false;
    return true;
}

bool kryo_write_graph(struct writer *writer, hw_ref root) {
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
