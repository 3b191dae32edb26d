/* What vertices tell each other across workers: a Progress with the number of updates, then an array of updates. */
#include "programs/shuffle/graph.h"
#include "programs/shuffle/shape.h"

/* Counts the edges of the vertex at a place that lead to the peer, in `*at`. Stores an update for each in `updates`, if
 * that is not NULL. */
static bool updates_of(struct shuffle *shuffle, uint32_t peer, hw_handle vertices, uint32_t place, uint64_t value,
                       hw_handle updates, uint32_t *at) {
    uint32_t degree = hw_array_length(graph_neighbours(vertices, place));

    for (uint32_t edge = 0; edge < degree; edge++) {
        int32_t target = graph_ints(graph_neighbours(vertices, place))[edge];

        if (graph_owner(shuffle, (uint32_t)target) != peer) continue;
        if (updates) {
            hw_scope scope = hw_scope_open();
            hw_handle update = hw_new(HW_CLASS_Update);

            if (!update) return false;
            FIELD(update, int32_t, Update_vertex) = target;
            FIELD(update, uint64_t, Update_value) = value;
            hw_set_element(updates, *at, update);
            hw_scope_close(scope);
        }
        ++*at;
    }
    return true;
}

/* Counts the updates for the peer and those for all workers. Stores the former in `updates`, if that is not NULL. */
static bool each_update(struct shuffle *shuffle, uint32_t peer, graph_speak *speak, hw_handle updates, uint32_t *count,
                        uint32_t *total) {
    hw_handle vertices = shuffle_part(shuffle, GRAPH_VERTICES), first = shuffle_part(shuffle, GRAPH_FIRST),
              second = shuffle_part(shuffle, GRAPH_SECOND);

    *count = *total = 0;
    for (uint32_t place = 0; place < graph_count(shuffle); place++) {
        uint32_t degree = hw_array_length(graph_neighbours(vertices, place));
        uint64_t value = 0;

        if (!speak(shuffle, graph_longs(first), graph_longs(second), place, degree, updates ? &value : NULL)) continue;
        *total += degree;
        if (!updates_of(shuffle, peer, vertices, place, value, updates, count)) return false;
    }
    return true;
}

bool graph_send_amount(struct shuffle *shuffle, struct hw_object_output *stream, uint64_t amount) {
    hw_handle progress = hw_new(HW_CLASS_Progress);

    if (!progress) return false;
    FIELD(progress, int32_t, Progress_worker) = (int32_t)shuffle->worker;
    FIELD(progress, uint64_t, Progress_amount) = amount;
    return hw_objects_write(stream, progress);
}

bool graph_send(struct shuffle *shuffle, uint32_t peer, struct hw_object_output *stream, graph_speak *speak) {
    uint32_t count, total;
    hw_handle updates;

    each_update(shuffle, peer, speak, NULL, &count, &total);
    if (!(updates = hw_new_array(HW_CLASS_Update_array, count)) ||
        !each_update(shuffle, peer, speak, updates, &count, &total))
        return false;
    return graph_send_amount(shuffle, stream, total) && hw_objects_write(stream, updates);
}

bool graph_receive_amount(struct shuffle *shuffle, uint32_t peer, struct hw_object_input *stream, uint64_t *amount) {
    hw_handle progress;

    (void)shuffle;
    if (!hw_objects_read(stream, &progress) || !progress ||
        hw_klass_of(hw_handle_object(progress)) != HW_CLASS_Progress ||
        FIELD(progress, int32_t, Progress_worker) != (int32_t)peer)
        return false;
    *amount += FIELD(progress, uint64_t, Progress_amount);
    return true;
}

/* Returns whether all of these are updates of vertices of this worker. */
static bool updates_are(const struct shuffle *shuffle, hw_handle updates) {
    const hw_ref *each = hw_pointer(updates->reference + HW_OBJECT_METADATA_ARRAY_ELEMENTS);

    for (uint32_t i = 0; i < hw_array_length(updates->reference); i++) {
        uint32_t vertex = FIELD_AT(each[i], uint32_t, Update_vertex);

        if (vertex >= shuffle->scale || graph_owner(shuffle, vertex) != shuffle->worker) return false;
    }
    return true;
}

bool graph_receive(struct shuffle *shuffle, uint32_t peer, struct hw_object_input *stream, graph_hear *hear,
                   uint64_t *amount) {
    hw_handle updates;

    if (!graph_receive_amount(shuffle, peer, stream, amount) || !(updates = shape_read_array(stream, &shape_update)) ||
        !updates_are(shuffle, updates))
        return false;
    if (!hear) {
        hw_set_element(shuffle->data, GRAPH_EDGES + peer, updates);
        return true;
    }
    uint64_t *first = graph_longs(shuffle_part(shuffle, GRAPH_FIRST)),
             *second = graph_longs(shuffle_part(shuffle, GRAPH_SECOND));
    const hw_ref *each = hw_pointer(updates->reference + HW_OBJECT_METADATA_ARRAY_ELEMENTS);

    for (uint32_t i = 0; i < hw_array_length(updates->reference); i++)
        hear(first, second, shuffle_place(shuffle, FIELD_AT(each[i], uint32_t, Update_vertex)),
             FIELD_AT(each[i], uint64_t, Update_value));
    return true;
}
