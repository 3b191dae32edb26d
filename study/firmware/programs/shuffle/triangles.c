/* Triangle counting. Edges become known at both ends. Each vertex keeps its higher neighbours and sends them, with
 * itself, to their owners. A worker that receives a vertex counts the neighbours that it has in common with each of its
 * own vertices among them. Finally all workers tell each other their counts. */
#include <string.h>

#include "programs/shuffle/graph.h"
#include "programs/shuffle/shape.h"

enum { EDGES, NEIGHBOURS, COUNTS }; /* phases */
enum { FOUND, TOTAL };              /* indices in shuffle->own: triangles found by this worker, by all */

/* Reduces the neighbours of each vertex, which are in order, to the higher ones. */
static bool keep_higher(struct shuffle *shuffle) {
    hw_handle vertices = shuffle_part(shuffle, GRAPH_VERTICES);

    for (uint32_t place = 0; place < graph_count(shuffle); place++) {
        hw_scope scope = hw_scope_open();
        hw_handle vertex = hw_get_element(vertices, place);
        uint32_t all = hw_array_length(graph_neighbours(vertices, place)), low = 0;

        while (low < all && graph_ints(graph_neighbours(vertices, place))[low] < FIELD(vertex, int32_t, Vertex_id))
            low++;
        hw_handle higher = hw_new_array(HW_CLASS_int_array, all - low);

        if (!higher) return false;
        memcpy(graph_ints(higher->reference), graph_ints(graph_neighbours(vertices, place)) + low,
               (all - low) * sizeof(int32_t));
        hw_set(vertex, HW_CLASS_Vertex_neighbours, higher);
        hw_scope_close(scope);
    }
    return true;
}

static bool concerns(const struct shuffle *shuffle, hw_ref neighbours, uint32_t peer) {
    for (uint32_t i = 0; i < hw_array_length(neighbours); i++)
        if (graph_owner(shuffle, (uint32_t)graph_ints(neighbours)[i]) == peer) return true;
    return false;
}

/* Sends the vertices that have a neighbour at the peer, unchanged. */
static bool send_vertices(struct shuffle *shuffle, uint32_t peer, struct hw_object_output *stream) {
    hw_handle vertices = shuffle_part(shuffle, GRAPH_VERTICES), chosen;
    uint32_t count = 0;

    for (uint32_t place = 0; place < graph_count(shuffle); place++)
        count += concerns(shuffle, graph_neighbours(vertices, place), peer);
    if (!(chosen = hw_new_array(HW_CLASS_Vertex_array, count))) return false;
    count = 0;
    for (uint32_t place = 0; place < graph_count(shuffle); place++) {
        hw_scope scope = hw_scope_open();

        if (concerns(shuffle, graph_neighbours(vertices, place), peer))
            hw_set_element(chosen, count++, hw_get_element(vertices, place));
        hw_scope_close(scope);
    }
    return hw_objects_write(stream, chosen);
}

static bool send(struct shuffle *shuffle, uint32_t peer, struct hw_object_output *stream) {
    if (shuffle->phase == EDGES) return graph_send(shuffle, peer, stream, graph_speak_edges);
    if (shuffle->phase == NEIGHBOURS) return send_vertices(shuffle, peer, stream);
    return graph_send_amount(shuffle, stream, shuffle->own[FOUND]);
}

/* Returns the number of common elements of two sorted arrays. */
static uint32_t in_common(hw_ref one, hw_ref other) {
    uint32_t ones = hw_array_length(one), others = hw_array_length(other), found = 0;

    for (uint32_t i = 0, k = 0; i < ones && k < others;) {
        int32_t left = graph_ints(one)[i], right = graph_ints(other)[k];

        found += left == right;
        i += left <= right;
        k += right <= left;
    }
    return found;
}

static bool receive_vertices(struct shuffle *shuffle, struct hw_object_input *stream) {
    hw_handle vertices = shuffle_part(shuffle, GRAPH_VERTICES), received = shape_read_array(stream, &shape_vertex);

    if (!received) return false;
    for (uint32_t i = 0; i < hw_array_length(received->reference); i++) {
        hw_ref vertex = ((const hw_ref *)hw_pointer(received->reference + HW_OBJECT_METADATA_ARRAY_ELEMENTS))[i];
        hw_ref neighbours = FIELD_AT(vertex, hw_ref, Vertex_neighbours);

        for (uint32_t k = 0; k < hw_array_length(neighbours); k++) {
            uint32_t other = (uint32_t)graph_ints(neighbours)[k];

            if (other >= shuffle->scale) return false;
            if (graph_owner(shuffle, other) == shuffle->worker)
                shuffle->own[FOUND] += in_common(neighbours, graph_neighbours(vertices, shuffle_place(shuffle, other)));
        }
    }
    return true;
}

static bool receive(struct shuffle *shuffle, uint32_t peer, struct hw_object_input *stream) {
    uint64_t amount = 0;

    if (shuffle->phase == EDGES) return graph_receive(shuffle, peer, stream, NULL, &amount);
    if (shuffle->phase == NEIGHBOURS) return receive_vertices(shuffle, stream);
    return graph_receive_amount(shuffle, peer, stream, &shuffle->own[TOTAL]);
}

static bool compute(struct shuffle *shuffle, bool *more) {
    *more = shuffle->phase != COUNTS;
    return shuffle->phase != EDGES || (graph_make_undirected(shuffle) && keep_higher(shuffle));
}

static bool finish(struct shuffle *shuffle) {
    if (shuffle->worker == 0) shuffle_emit(shuffle, "triangles", shuffle->own[TOTAL]);
    return true;
}

const struct shuffle_program shuffle_triangles = {PROGRAM_TRIANGLES, graph_begin, send, receive, compute, finish};
