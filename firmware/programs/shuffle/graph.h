/* Synthetic graphs, a part of which each worker has, and what programs over them share. Vertex v is worker v % workers'. */
#ifndef HW_PROGRAMS_SHUFFLE_GRAPH_H
#define HW_PROGRAMS_SHUFFLE_GRAPH_H

#include "classes.h"
#include "programs/shuffle/shuffle.h"
#include "runtime/heap/heap.h"

/* A field of what a handle refers to; valid until the next safepoint, as elements are. */
#define FIELD(handle, type, name) (*(type *)((char *)hw_handle_object(handle) + HW_CLASS_##name))
#define FIELD_AT(object, type, name) (*(type *)hw_pointer((object) + HW_CLASS_##name))

/* Scattered: the same 32 bits for the same two numbers, on every machine. */
uint32_t shuffle_random(uint32_t a, uint32_t b);

/* The edges that begin at a vertex of a graph of `vertices`: 1 to 7 of them, more of them to low numbers than to high ones; loops and
 * parallel edges are among them. */
uint32_t graph_degree(uint32_t vertex);
uint32_t graph_target(uint32_t vertex, uint32_t edge, uint32_t vertices);

static inline uint32_t graph_owner(const struct shuffle *shuffle, uint32_t vertex)
{
    return vertex % shuffle->workers;
}

/* How many vertices the worker has; which is the one at a place, and the other way round. */
static inline uint32_t graph_count(const struct shuffle *shuffle)
{
    return (shuffle->scale + shuffle->workers - 1 - shuffle->worker) / shuffle->workers;
}

static inline uint32_t graph_vertex(const struct shuffle *shuffle, uint32_t place)
{
    return place * shuffle->workers + shuffle->worker;
}

static inline uint32_t graph_place(const struct shuffle *shuffle, uint32_t vertex)
{
    return vertex / shuffle->workers;
}

/* What shuffle->data is: an array of this, and behind it an array of edges from each worker. */
enum { GRAPH_VERTICES, GRAPH_FIRST, GRAPH_SECOND, GRAPH_EDGES };

/* shuffle->data with the worker's vertices, each with where its edges lead, and two arrays of a long a vertex. */
bool graph_begin(struct shuffle *shuffle);

/* A part of shuffle->data, in a new local handle. */
static inline hw_handle graph_part(const struct shuffle *shuffle, uint32_t part)
{
    return hw_get_element(shuffle->data, part);
}

/* Elements, valid until the next safepoint. */
static inline uint64_t *graph_longs(hw_handle array)
{
    return hw_pointer(array->reference + HW_OBJECT_METADATA_ARRAY_ELEMENTS);
}

static inline int32_t *graph_ints(hw_ref array)
{
    return hw_pointer(array + HW_OBJECT_METADATA_ARRAY_ELEMENTS);
}

/* The neighbours of the vertex at a place: an array of int. Valid until the next safepoint. */
hw_ref graph_neighbours(hw_handle vertices, uint32_t place);

/* What the vertex at a place says to each of its neighbours in this phase (NULL: it is not asked what); false: nothing. `first` and
 * `second` are the arrays of a long a vertex. No safepoint. */
typedef bool graph_speak(const struct shuffle *shuffle, const uint64_t *first, const uint64_t *second, uint32_t place, uint32_t degree,
                         uint64_t *value);

/* Sends Progress, with how many updates there are for all workers together, and an array of those for this one. */
bool graph_send(struct shuffle *shuffle, uint32_t peer, struct hw_object_output *stream, graph_speak *speak);

/* The vertex at a place is told. No safepoint. */
typedef void graph_hear(uint64_t *first, uint64_t *second, uint32_t place, uint64_t value);

/* Reads the same; the Progress's amount is added to `*amount`. `hear` NULL: the updates are kept as the edges of that peer. */
bool graph_receive(struct shuffle *shuffle, uint32_t peer, struct hw_object_input *stream, graph_hear *hear, uint64_t *amount);

/* Each vertex says who it is: so edges come to be known at both ends. */
graph_speak graph_speak_edges;

/* From now on the neighbours of a vertex are those at either end of its edges, each once, in order, without itself. What was received
 * of edges is dropped. */
bool graph_make_undirected(struct shuffle *shuffle);

/* Sends and reads a Progress alone. */
bool graph_send_amount(struct shuffle *shuffle, struct hw_object_output *stream, uint64_t amount);
bool graph_receive_amount(struct shuffle *shuffle, uint32_t peer, struct hw_object_input *stream, uint64_t *amount);

/* A result of a vertex. */
void graph_emit(struct shuffle *shuffle, uint32_t vertex, uint64_t value);

#endif
