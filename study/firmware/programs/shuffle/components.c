/* Connected components: each vertex keeps the lowest number that it has heard of and tells its neighbours when it
 * changes, until no vertex has anything to tell. The first phase makes edges known at both ends. */
#include "programs/shuffle/graph.h"

enum { LABELS = GRAPH_FIRST, CHANGED };
enum { SENT }; /* index in shuffle->own: updates sent by all workers in this phase */

static bool speak(const struct shuffle *shuffle, const uint64_t *labels, const uint64_t *changed, uint32_t place,
                  uint32_t degree, uint64_t *value) {
    (void)shuffle, (void)degree;
    if (value) *value = labels[place];
    return changed[place] != 0;
}

static bool send(struct shuffle *shuffle, uint32_t peer, struct hw_object_output *stream) {
    return graph_send(shuffle, peer, stream, shuffle->phase == 0 ? graph_speak_edges : speak);
}

/* Bit 1 marks a change in this phase, which is sent in the next. */
static void hear(uint64_t *labels, uint64_t *changed, uint32_t place, uint64_t value) {
    if (value < labels[place]) {
        labels[place] = value;
        changed[place] |= 2;
    }
}

static bool receive(struct shuffle *shuffle, uint32_t peer, struct hw_object_input *stream) {
    uint64_t amount = 0;

    if (!graph_receive(shuffle, peer, stream, shuffle->phase == 0 ? NULL : hear, &amount)) return false;
    shuffle->own[SENT] += amount;
    return true;
}

static bool compute(struct shuffle *shuffle, bool *more) {
    if (shuffle->phase == 0 && !graph_make_undirected(shuffle)) return false;
    uint64_t *labels = graph_longs(shuffle_part(shuffle, LABELS)),
             *changed = graph_longs(shuffle_part(shuffle, CHANGED));

    for (uint32_t place = 0; place < graph_count(shuffle); place++) {
        if (shuffle->phase == 0) labels[place] = shuffle_key(shuffle, place);
        changed[place] = shuffle->phase == 0 || changed[place] & 2 ? 1 : 0;
    }
    *more = shuffle->phase == 0 || shuffle->own[SENT] != 0;
    shuffle->own[SENT] = 0;
    return true;
}

static bool finish(struct shuffle *shuffle) { return graph_emit(shuffle, LABELS); }

const struct shuffle_program shuffle_components = {PROGRAM_COMPONENTS, graph_begin, send, receive, compute, finish};
