/* Makes edges known at both ends: each worker sends its vertices' edges to the others, and adds the edges that it
 * receives to its own. */
#include "programs/shuffle/graph.h"

#include <string.h>

bool graph_speak_edges(const struct shuffle *shuffle, const uint64_t *first, const uint64_t *second, uint32_t place,
                       uint32_t degree, uint64_t *value) {
    (void)first, (void)second, (void)degree;
    if (value) *value = shuffle_key(shuffle, place);
    return true;
}

static void sort(int32_t *numbers, uint32_t count) {
    for (uint32_t gap = count / 2; gap; gap /= 2)
        for (uint32_t i = gap; i < count; i++)
            for (uint32_t k = i; k >= gap && numbers[k - gap] > numbers[k]; k -= gap) {
                int32_t kept = numbers[k];

                numbers[k] = numbers[k - gap];
                numbers[k - gap] = kept;
            }
}

/* Sorts the numbers, removes duplicates and `self`, and returns how many are left. */
static uint32_t tidy(int32_t *numbers, uint32_t count, int32_t self) {
    uint32_t left = 0;

    sort(numbers, count);
    for (uint32_t i = 0; i < count; i++)
        if (numbers[i] != self && (left == 0 || numbers[left - 1] != numbers[i])) numbers[left++] = numbers[i];
    return left;
}

/* Gives the vertex an array of the exact length. `all` has both its own edges and those received. */
static bool set_neighbours(const struct shuffle *shuffle, hw_handle vertices, hw_handle all, uint32_t place,
                           uint32_t count) {
    uint32_t left = tidy(graph_ints(all->reference), count, (int32_t)shuffle_key(shuffle, place));
    hw_handle exact = hw_new_array(HW_CLASS_int_array, left), vertex = hw_get_element(vertices, place);

    if (!exact || !vertex) return false;
    memcpy(graph_ints(exact->reference), graph_ints(all->reference), left * sizeof(int32_t));
    hw_set(vertex, HW_CLASS_Vertex_neighbours, exact);
    return true;
}

/* Sorts the received edges by vertex (counting sort). Returns an array of int with all of them; GRAPH_FIRST then has
 * the end of each vertex's edges in it. */
static hw_handle received_edges(struct shuffle *shuffle) {
    uint32_t total = 0, count = graph_count(shuffle);
    hw_handle ends = shuffle_part(shuffle, GRAPH_FIRST);

    for (uint32_t peer = 0; peer < shuffle->workers; peer++)
        total += hw_array_length(shuffle_part(shuffle, GRAPH_EDGES + peer)->reference);
    hw_handle all = hw_new_array(HW_CLASS_int_array, total);

    if (!all) return NULL;
    memset(graph_longs(ends), 0, count * sizeof(uint64_t));
    for (uint32_t pass = 0; pass < 2; pass++) {
        for (uint32_t peer = 0; peer < shuffle->workers; peer++) {
            hw_ref edges = shuffle_part(shuffle, GRAPH_EDGES + peer)->reference;
            const hw_ref *each = hw_pointer(edges + HW_OBJECT_METADATA_ARRAY_ELEMENTS);

            for (uint32_t i = 0; i < hw_array_length(edges); i++) {
                uint64_t *end = &graph_longs(ends)[shuffle_place(shuffle, FIELD_AT(each[i], uint32_t, Update_vertex))];

                if (pass) graph_ints(all->reference)[*end] = (int32_t)FIELD_AT(each[i], uint64_t, Update_value);
                ++*end;
            }
        }
        /* Turns the counts into the beginnings of each vertex's edges. The second pass turns them into the ends. */
        for (uint32_t place = 0, at = 0; pass == 0 && place < count; place++) {
            uint32_t here = (uint32_t)graph_longs(ends)[place];

            graph_longs(ends)[place] = at;
            at += here;
        }
    }
    return all;
}

bool graph_make_undirected(struct shuffle *shuffle) {
    hw_handle vertices = shuffle_part(shuffle, GRAPH_VERTICES), received = received_edges(shuffle),
              ends = shuffle_part(shuffle, GRAPH_FIRST);

    if (!received) return false;
    for (uint32_t place = 0; place < graph_count(shuffle); place++) {
        uint32_t from = place ? (uint32_t)graph_longs(ends)[place - 1] : 0,
                 told = (uint32_t)graph_longs(ends)[place] - from;
        uint32_t own = hw_array_length(graph_neighbours(vertices, place));
        hw_scope scope = hw_scope_open();
        hw_handle all = hw_new_array(HW_CLASS_int_array, own + told);

        if (!all) return false;
        memcpy(graph_ints(all->reference), graph_ints(graph_neighbours(vertices, place)), own * sizeof(int32_t));
        memcpy(graph_ints(all->reference) + own, graph_ints(received->reference) + from, told * sizeof(int32_t));
        if (!set_neighbours(shuffle, vertices, all, place, own + told)) return false;
        hw_scope_close(scope);
    }
    for (uint32_t peer = 0; peer < shuffle->workers; peer++) hw_set_element(shuffle->data, GRAPH_EDGES + peer, NULL);
    return true;
}
