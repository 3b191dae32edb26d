#include "programs/shuffle/graph.h"

#include <stdio.h>
#include <string.h>

#define MOST_EDGES 7u

uint32_t shuffle_random(uint32_t a, uint32_t b)
{
    uint32_t hash = a * 0x9e3779b1u + b * 0x85ebca6bu + 0x2545f491u;

    hash = (hash ^ hash >> 16) * 0x7feb352du;
    hash = (hash ^ hash >> 15) * 0x846ca68bu;
    return hash ^ hash >> 16;
}

uint32_t graph_degree(uint32_t vertex)
{
    return 1 + shuffle_random(vertex, 0) % MOST_EDGES;
}

uint32_t graph_target(uint32_t vertex, uint32_t edge, uint32_t vertices)
{
    uint32_t one = shuffle_random(vertex, 2 * edge + 1) % vertices, other = shuffle_random(vertex, 2 * edge + 2) % vertices;

    return one < other ? one : other;
}

hw_ref graph_neighbours(hw_handle vertices, uint32_t place)
{
    hw_ref vertex = ((const hw_ref *)hw_pointer(vertices->reference + HW_OBJECT_METADATA_ARRAY_ELEMENTS))[place];

    return FIELD_AT(vertex, hw_ref, Vertex_neighbours);
}

static bool make_vertex(const struct shuffle *shuffle, hw_handle vertices, uint32_t place)
{
    uint32_t id = graph_vertex(shuffle, place), degree = graph_degree(id);
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

bool graph_begin(struct shuffle *shuffle)
{
    uint32_t count = graph_count(shuffle);
    hw_handle data = hw_new_array(HW_CLASS_Object_array, GRAPH_EDGES + shuffle->workers);
    hw_handle vertices = hw_new_array(HW_CLASS_Vertex_array, count);

    if (!data || !vertices)
        return false;
    hw_set_element(data, GRAPH_VERTICES, vertices);
    for (uint32_t part = GRAPH_FIRST; part <= GRAPH_SECOND; part++) {
        hw_handle longs = hw_new_array(HW_CLASS_long_array, count);

        if (!longs)
            return false;
        hw_set_element(data, part, longs);
    }
    for (uint32_t place = 0; place < count; place++)
        if (!make_vertex(shuffle, vertices, place))
            return false;
    return (shuffle->data = hw_global_new(data)) != NULL;
}

/* The vertex at a place, by its edges to the peer: how many; an update for each from `*at` on, if there is where to put them. */
static bool updates_of(struct shuffle *shuffle, uint32_t peer, hw_handle vertices, uint32_t place, uint64_t value, hw_handle updates, uint32_t *at)
{
    uint32_t degree = hw_array_length(graph_neighbours(vertices, place));

    for (uint32_t edge = 0; edge < degree; edge++) {
        int32_t target = graph_ints(graph_neighbours(vertices, place))[edge];

        if (graph_owner(shuffle, (uint32_t)target) != peer)
            continue;
        if (updates) {
            hw_scope scope = hw_scope_open();
            hw_handle update = hw_new(HW_CLASS_Update);

            if (!update)
                return false;
            FIELD(update, int32_t, Update_vertex) = target;
            FIELD(update, uint64_t, Update_value) = value;
            hw_set_element(updates, *at, update);
            hw_scope_close(scope);
        }
        ++*at;
    }
    return true;
}

/* How many updates go to the peer, and how many to all; filled into `updates`, if that is not NULL. */
static bool each_update(struct shuffle *shuffle, uint32_t peer, graph_speak *speak, hw_handle updates, uint32_t *count, uint32_t *total)
{
    hw_handle vertices = graph_part(shuffle, GRAPH_VERTICES), first = graph_part(shuffle, GRAPH_FIRST), second = graph_part(shuffle, GRAPH_SECOND);

    *count = *total = 0;
    for (uint32_t place = 0; place < graph_count(shuffle); place++) {
        uint32_t degree = hw_array_length(graph_neighbours(vertices, place));
        uint64_t value = 0;

        if (!speak(shuffle, graph_longs(first), graph_longs(second), place, degree, updates ? &value : NULL))
            continue;
        *total += degree;
        if (!updates_of(shuffle, peer, vertices, place, value, updates, count))
            return false;
    }
    return true;
}

bool graph_send_amount(struct shuffle *shuffle, struct hw_object_output *stream, uint64_t amount)
{
    hw_handle progress = hw_new(HW_CLASS_Progress);

    if (!progress)
        return false;
    FIELD(progress, int32_t, Progress_worker) = (int32_t)shuffle->worker;
    FIELD(progress, uint64_t, Progress_amount) = amount;
    return hw_write_object(stream, progress);
}

bool graph_send(struct shuffle *shuffle, uint32_t peer, struct hw_object_output *stream, graph_speak *speak)
{
    uint32_t count, total;
    hw_handle updates;

    each_update(shuffle, peer, speak, NULL, &count, &total);
    if (!(updates = hw_new_array(HW_CLASS_Update_array, count)) || !each_update(shuffle, peer, speak, updates, &count, &total))
        return false;
    return graph_send_amount(shuffle, stream, total) && hw_write_object(stream, updates);
}

static bool is_a(hw_handle object, const struct hw_klass *klass)
{
    return object && hw_klass_of(hw_handle_object(object)) == klass;
}

bool graph_receive_amount(struct shuffle *shuffle, uint32_t peer, struct hw_object_input *stream, uint64_t *amount)
{
    hw_handle progress;

    (void)shuffle;
    if (!hw_read_object(stream, &progress) || !is_a(progress, HW_CLASS_Progress) || FIELD(progress, int32_t, Progress_worker) != (int32_t)peer)
        return false;
    *amount += FIELD(progress, uint64_t, Progress_amount);
    return true;
}

/* Every element is an update of a vertex that this worker has. */
static bool updates_are(const struct shuffle *shuffle, hw_handle updates)
{
    const hw_ref *each = hw_pointer(updates->reference + HW_OBJECT_METADATA_ARRAY_ELEMENTS);

    for (uint32_t i = 0; i < hw_array_length(updates->reference); i++) {
        if (!each[i])
            return false;
        uint32_t vertex = FIELD_AT(each[i], uint32_t, Update_vertex);

        if (vertex >= shuffle->scale || graph_owner(shuffle, vertex) != shuffle->worker)
            return false;
    }
    return true;
}

bool graph_receive(struct shuffle *shuffle, uint32_t peer, struct hw_object_input *stream, graph_hear *hear, uint64_t *amount)
{
    hw_handle updates;

    if (!graph_receive_amount(shuffle, peer, stream, amount) || !hw_read_object(stream, &updates) || !is_a(updates, HW_CLASS_Update_array) ||
        !updates_are(shuffle, updates))
        return false;
    if (!hear) {
        hw_set_element(shuffle->data, GRAPH_EDGES + peer, updates);
        return true;
    }
    uint64_t *first = graph_longs(graph_part(shuffle, GRAPH_FIRST)), *second = graph_longs(graph_part(shuffle, GRAPH_SECOND));
    const hw_ref *each = hw_pointer(updates->reference + HW_OBJECT_METADATA_ARRAY_ELEMENTS);

    for (uint32_t i = 0; i < hw_array_length(updates->reference); i++)
        hear(first, second, graph_place(shuffle, FIELD_AT(each[i], uint32_t, Update_vertex)), FIELD_AT(each[i], uint64_t, Update_value));
    return true;
}

bool graph_speak_edges(const struct shuffle *shuffle, const uint64_t *first, const uint64_t *second, uint32_t place, uint32_t degree,
                       uint64_t *value)
{
    (void)first, (void)second, (void)degree;
    if (value)
        *value = graph_vertex(shuffle, place);
    return true;
}

static void sort(int32_t *numbers, uint32_t count)
{
    for (uint32_t gap = count / 2; gap; gap /= 2)
        for (uint32_t i = gap; i < count; i++)
            for (uint32_t k = i; k >= gap && numbers[k - gap] > numbers[k]; k -= gap) {
                int32_t kept = numbers[k];

                numbers[k] = numbers[k - gap];
                numbers[k - gap] = kept;
            }
}

/* In order, each once, without `self`: how many are left. */
static uint32_t tidy(int32_t *numbers, uint32_t count, int32_t self)
{
    uint32_t left = 0;

    sort(numbers, count);
    for (uint32_t i = 0; i < count; i++)
        if (numbers[i] != self && (left == 0 || numbers[left - 1] != numbers[i]))
            numbers[left++] = numbers[i];
    return left;
}

/* The vertex gets an array of its own length; `all` has room for both its edges and those that were received. */
static bool set_neighbours(const struct shuffle *shuffle, hw_handle vertices, hw_handle all, uint32_t place, uint32_t count)
{
    uint32_t left = tidy(graph_ints(all->reference), count, (int32_t)graph_vertex(shuffle, place));
    hw_handle exact = hw_new_array(HW_CLASS_int_array, left), vertex = hw_get_element(vertices, place);

    if (!exact || !vertex)
        return false;
    memcpy(graph_ints(exact->reference), graph_ints(all->reference), left * sizeof(int32_t));
    hw_set(vertex, HW_CLASS_Vertex_neighbours, exact);
    return true;
}

/* The received edges, sorted by vertex with a count in GRAPH_FIRST: an array of int with all of them, and there where each vertex's end. */
static hw_handle received_edges(struct shuffle *shuffle)
{
    uint32_t total = 0, count = graph_count(shuffle);
    hw_handle ends = graph_part(shuffle, GRAPH_FIRST);

    for (uint32_t peer = 0; peer < shuffle->workers; peer++)
        total += hw_array_length(graph_part(shuffle, GRAPH_EDGES + peer)->reference);
    hw_handle all = hw_new_array(HW_CLASS_int_array, total);

    if (!all)
        return NULL;
    memset(graph_longs(ends), 0, count * sizeof(uint64_t));
    for (uint32_t pass = 0; pass < 2; pass++) {
        for (uint32_t peer = 0; peer < shuffle->workers; peer++) {
            hw_ref edges = graph_part(shuffle, GRAPH_EDGES + peer)->reference;
            const hw_ref *each = hw_pointer(edges + HW_OBJECT_METADATA_ARRAY_ELEMENTS);

            for (uint32_t i = 0; i < hw_array_length(edges); i++) {
                uint64_t *end = &graph_longs(ends)[graph_place(shuffle, FIELD_AT(each[i], uint32_t, Update_vertex))];

                if (pass)
                    graph_ints(all->reference)[*end] = (int32_t)FIELD_AT(each[i], uint64_t, Update_value);
                ++*end;
            }
        }
        /* Counts become where each vertex's begin, which the second pass makes where they end. */
        for (uint32_t place = 0, at = 0; pass == 0 && place < count; place++) {
            uint32_t here = (uint32_t)graph_longs(ends)[place];

            graph_longs(ends)[place] = at;
            at += here;
        }
    }
    return all;
}

bool graph_make_undirected(struct shuffle *shuffle)
{
    hw_handle vertices = graph_part(shuffle, GRAPH_VERTICES), received = received_edges(shuffle), ends = graph_part(shuffle, GRAPH_FIRST);

    if (!received)
        return false;
    for (uint32_t place = 0; place < graph_count(shuffle); place++) {
        uint32_t from = place ? (uint32_t)graph_longs(ends)[place - 1] : 0, told = (uint32_t)graph_longs(ends)[place] - from;
        uint32_t own = hw_array_length(graph_neighbours(vertices, place));
        hw_scope scope = hw_scope_open();
        hw_handle all = hw_new_array(HW_CLASS_int_array, own + told);

        if (!all)
            return false;
        memcpy(graph_ints(all->reference), graph_ints(graph_neighbours(vertices, place)), own * sizeof(int32_t));
        memcpy(graph_ints(all->reference) + own, graph_ints(received->reference) + from, told * sizeof(int32_t));
        if (!set_neighbours(shuffle, vertices, all, place, own + told))
            return false;
        hw_scope_close(scope);
    }
    for (uint32_t peer = 0; peer < shuffle->workers; peer++)
        hw_set_element(shuffle->data, GRAPH_EDGES + peer, NULL);
    return true;
}

void graph_emit(struct shuffle *shuffle, uint32_t vertex, uint64_t value)
{
    char key[12];

    snprintf(key, sizeof key, "%lu", (unsigned long)vertex);
    shuffle_emit(shuffle, key, value);
}
