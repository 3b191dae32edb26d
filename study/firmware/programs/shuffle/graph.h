/* Synthetic graphs, each worker having a part, and what programs over them share. Vertex v belongs to worker v %
 * workers. */
#ifndef HW_PROGRAMS_SHUFFLE_GRAPH_H
#define HW_PROGRAMS_SHUFFLE_GRAPH_H

#include "classes.h"
#include "programs/shuffle/shuffle.h"
#include "runtime/heap/heap.h"

/* A field of a handle's object. Valid until the next safepoint; so are elements. */
#define FIELD(handle, type, name) (*(type *)((char *)hw_handle_object(handle) + HW_CLASS_##name))
#define FIELD_AT(object, type, name) (*(type *)hw_pointer((object) + HW_CLASS_##name))

/* Sets a field to a new string. Returns false with an error. A safepoint. */
bool shuffle_set_text(hw_handle object, uint32_t offset, const char *text);

/* Returns 32 pseudorandom bits, the same for the same two numbers on every machine. */
uint32_t shuffle_random(uint32_t a, uint32_t b);

/* The edges that begin at a vertex of a graph of `vertices` vertices: 1 to 7 of them, more often to low numbers than to
 * high ones. There are loops and parallel edges. */
uint32_t graph_degree(uint32_t vertex);
uint32_t graph_target(uint32_t vertex, uint32_t edge, uint32_t vertices);

static inline uint32_t graph_owner(const struct shuffle *shuffle, uint32_t vertex) { return vertex % shuffle->workers; }

/* Returns the number of vertices of the worker. */
static inline uint32_t graph_count(const struct shuffle *shuffle) {
    return (shuffle->scale + shuffle->workers - 1 - shuffle->worker) / shuffle->workers;
}

/* Return the vertex, or other key, at a place of this worker, and its place. */
static inline uint32_t shuffle_key(const struct shuffle *shuffle, uint32_t place) {
    return place * shuffle->workers + shuffle->worker;
}

static inline uint32_t shuffle_place(const struct shuffle *shuffle, uint32_t key) { return key / shuffle->workers; }

/* Parts of the array shuffle->data. From GRAPH_EDGES on, it has an array of edges from each worker. */
enum { GRAPH_VERTICES, GRAPH_FIRST, GRAPH_SECOND, GRAPH_EDGES };

/* Makes shuffle->data: the worker's vertices, each with the targets of its edges, and two arrays with a long per
 * vertex. Returns false with an error. */
bool graph_begin(struct shuffle *shuffle);

/* Returns a part of shuffle->data in a new local handle. */
static inline hw_handle shuffle_part(const struct shuffle *shuffle, uint32_t part) {
    return hw_get_element(shuffle->data, part);
}

/* Return the elements of an array. Valid until the next safepoint. */
static inline uint64_t *graph_longs(hw_handle array) {
    return hw_pointer(array->reference + HW_OBJECT_METADATA_ARRAY_ELEMENTS);
}

static inline int32_t *graph_ints(hw_ref array) { return hw_pointer(array + HW_OBJECT_METADATA_ARRAY_ELEMENTS); }

/* Returns the neighbours of the vertex at a place: an array of int. Valid until the next safepoint. */
hw_ref graph_neighbours(hw_handle vertices, uint32_t place);

/* Computes what the vertex at a place tells each of its neighbours in this phase; `value` may be NULL. Returns false if
 * it tells nothing. `first` and `second` are the arrays with a long per vertex. No safepoint. */
typedef bool graph_speak(const struct shuffle *shuffle, const uint64_t *first, const uint64_t *second, uint32_t place,
                         uint32_t degree, uint64_t *value);

/* Sends a Progress with the number of updates for all workers together, and an array of the updates for this one. */
bool graph_send(struct shuffle *shuffle, uint32_t peer, struct hw_object_output *stream, graph_speak *speak);

/* Tells the vertex at a place a value. No safepoint. */
typedef void graph_hear(uint64_t *first, uint64_t *second, uint32_t place, uint64_t value);

/* Reads what graph_send wrote, and adds the Progress's amount to `*amount`. If `hear` is NULL, keeps the updates as the
 * edges of that peer. */
bool graph_receive(struct shuffle *shuffle, uint32_t peer, struct hw_object_input *stream, graph_hear *hear,
                   uint64_t *amount);

/* Each vertex tells its number, so that edges become known at both ends. */
graph_speak graph_speak_edges;

/* Makes the graph undirected: the neighbours of a vertex become the vertices at either end of its edges, each once, in
 * order, without itself. Drops the received edges. */
bool graph_make_undirected(struct shuffle *shuffle);

/* Send and read only a Progress. */
bool graph_send_amount(struct shuffle *shuffle, struct hw_object_output *stream, uint64_t amount);
bool graph_receive_amount(struct shuffle *shuffle, uint32_t peer, struct hw_object_input *stream, uint64_t *amount);

/* Emits the longs of a part, one for each vertex. Returns true. */
bool graph_emit(struct shuffle *shuffle, uint32_t part);

#endif
