#include "programs/shuffle/graph.h"

#include <stdio.h>
#include <string.h>

#include "runtime/java/string.h"

#define MOST_EDGES 7u

bool shuffle_set_text(hw_handle object, uint32_t offset, const char *text) {
    hw_scope scope = hw_scope_open();
    hw_handle string = hw_string_from_utf8(text, (uint32_t)strlen(text));

    if (string) hw_set(object, offset, string);
    hw_scope_close(scope);
    return string != NULL;
}

uint32_t shuffle_random(uint32_t a, uint32_t b) {
    uint32_t hash = a * 0x9e3779b1u + b * 0x85ebca6bu + 0x2545f491u;

    hash = (hash ^ hash >> 16) * 0x7feb352du;
    hash = (hash ^ hash >> 15) * 0x846ca68bu;
    return hash ^ hash >> 16;
}

uint32_t graph_degree(uint32_t vertex) { return 1 + shuffle_random(vertex, 0) % MOST_EDGES; }

uint32_t graph_target(uint32_t vertex, uint32_t edge, uint32_t vertices) {
    uint32_t one = shuffle_random(vertex, 2 * edge + 1) % vertices,
             other = shuffle_random(vertex, 2 * edge + 2) % vertices;

    return one < other ? one : other;
}

hw_ref graph_neighbours(hw_handle vertices, uint32_t place) {
    hw_ref vertex = ((const hw_ref *)hw_pointer(vertices->reference + HW_OBJECT_METADATA_ARRAY_ELEMENTS))[place];

    return FIELD_AT(vertex, hw_ref, Vertex_neighbours);
}

static bool make_vertex(const struct shuffle *shuffle, hw_handle vertices, uint32_t place) {
    uint32_t id = shuffle_key(shuffle, place), degree = graph_degree(id);
    hw_scope scope = hw_scope_open();
    hw_handle vertex = hw_new(HW_CLASS_Vertex), neighbours = hw_new_array(HW_CLASS_int_array, degree);

    if (vertex && neighbours) {
        for (uint32_t edge = 0; edge < degree; edge++)
            graph_ints(neighbours->reference)[edge] = (int32_t)graph_target(id, edge, shuffle->scale);
        FIELD(vertex, int32_t, Vertex_id) = (int32_t)id;
        hw_set(vertex, HW_CLASS_Vertex_neighbours, neighbours);
        hw_set_element(vertices, place, vertex);
    }
    hw_scope_close(scope);
    return vertex && neighbours;
}

bool graph_begin(struct shuffle *shuffle) {
    uint32_t count = graph_count(shuffle);
    hw_handle data = hw_new_array(HW_CLASS_Object_array, GRAPH_EDGES + shuffle->workers);
    hw_handle vertices = hw_new_array(HW_CLASS_Vertex_array, count);

    if (!data || !vertices) return false;
    hw_set_element(data, GRAPH_VERTICES, vertices);
    for (uint32_t part = GRAPH_FIRST; part <= GRAPH_SECOND; part++) {
        hw_handle longs = hw_new_array(HW_CLASS_long_array, count);

        if (!longs) return false;
        hw_set_element(data, part, longs);
    }
    for (uint32_t place = 0; place < count; place++)
        if (!make_vertex(shuffle, vertices, place)) return false;
    return (shuffle->data = hw_global_new(data)) != NULL;
}

bool graph_emit(struct shuffle *shuffle, uint32_t part) {
    const uint64_t *values = graph_longs(shuffle_part(shuffle, part));

    for (uint32_t place = 0; place < graph_count(shuffle); place++) {
        char key[12];

        snprintf(key, sizeof key, "%lu", (unsigned long)shuffle_key(shuffle, place));
        shuffle_emit(shuffle, key, values[place]);
    }
    return true;
}
