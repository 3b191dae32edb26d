/* Hand-written reading of trees, lists and graphs. */
#include "peers/kryo/manual_parts.h"

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

/* Reads the length of an array of nodes, to which the stream adds 1. */
static bool read_count(struct reader *reader, uint32_t *count, bool *null) {
    return kryo_read_length(reader, 0, count, null);
}

/* Reads a node into a held root, and pushes its frame if it has children. The root stays held until the frame ends. */
static bool read_tree_node(struct reader *reader, uint32_t held) {
    uint32_t count;
    bool null;

    if (!new_object(reader, HW_CLASS_TreeNode, held) ||
        !read_known(reader, &AT(held_at(reader, held), uint64_t, TreeNode_value), 'J') ||
        !read_count(reader, &count, &null))
        return false;
    if (null) return true;
    hw_ref array = hw_allocate_array(HW_CLASS_TreeNode_array, count);

    if (!array) return fail(reader, HW_OBJECTS_NO_MEMORY);
    hw_write(&AT(held_at(reader, held), hw_ref, TreeNode_children), array);
    return count == 0 || push(reader, held, count);
}

bool kryo_read_tree(struct reader *reader, uint32_t held) {
    uint32_t child;
    uint8_t there;

    if (!read_tree_node(reader, held)) return false;
    while (reader->top != reader->first) {
        struct kryo_read_frame *frame = reader->top - 1;
        uint32_t offset = MANUAL_ELEMENTS + 4 * frame->index, parent = frame->id;

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

bool kryo_read_nodes(struct reader *reader, uint32_t held) {
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
        if (id - 2 >= reader->codec->objects.count) {
            reader->at = start;
            return fail(reader, HW_OBJECTS_BAD_REFERENCE);
        }
        *node = reader->objects[id - 2];
        return true;
    }
    if (!add(reader, &id)) return false;
    if (!(reader->objects[id] = hw_allocate(HW_CLASS_GraphNode))) return fail(reader, HW_OBJECTS_NO_MEMORY);
    if (!read_known(reader, &AT(reader->objects[id], uint64_t, GraphNode_value), 'J') ||
        !read_count(reader, &count, &null))
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

bool kryo_read_graph(struct reader *reader, uint32_t held) {
    hw_ref node;

    if (!read_graph_node(reader, &node, false)) return false;
    reader->codec->held.base[held] = node;
    while (reader->top != reader->first) {
        struct kryo_read_frame *frame = reader->top - 1;
        uint32_t offset = MANUAL_ELEMENTS + 4 * frame->index++, parent = frame->id;

        reader->owed--;
        if (frame->index == frame->count) reader->top--;
        if (!read_graph_node(reader, &node, true)) return false;
        hw_write(hw_pointer(AT(reader->objects[parent], hw_ref, GraphNode_edges) + offset), node);
    }
    return true;
}
