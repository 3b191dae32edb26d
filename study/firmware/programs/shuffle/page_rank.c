/* Page rank: ten phases, in each of which every vertex gives each of its neighbours an equal share of its rank. Ranks
 * are fixed-point numbers, so that sums do not depend on their order. */
#include "programs/shuffle/graph.h"

#define PHASES 10u
#define ONE (1ull << 32)
#define DAMPING 85u /* in percent */

enum { RANKS = GRAPH_FIRST, SUMS };

static bool begin(struct shuffle *shuffle) {
    if (!graph_begin(shuffle)) return false;
    uint64_t *ranks = graph_longs(shuffle_part(shuffle, RANKS));

    for (uint32_t place = 0; place < graph_count(shuffle); place++) ranks[place] = ONE;
    return true;
}

static bool speak(const struct shuffle *shuffle, const uint64_t *ranks, const uint64_t *sums, uint32_t place,
                  uint32_t degree, uint64_t *value) {
    (void)shuffle, (void)sums;
    if (value) *value = ranks[place] / degree;
    return true;
}

static bool send(struct shuffle *shuffle, uint32_t peer, struct hw_object_output *stream) {
    return graph_send(shuffle, peer, stream, speak);
}

static void hear(uint64_t *ranks, uint64_t *sums, uint32_t place, uint64_t value) {
    (void)ranks;
    sums[place] += value;
}

static bool receive(struct shuffle *shuffle, uint32_t peer, struct hw_object_input *stream) {
    uint64_t amount = 0;

    return graph_receive(shuffle, peer, stream, hear, &amount);
}

static bool compute(struct shuffle *shuffle, bool *more) {
    uint64_t *ranks = graph_longs(shuffle_part(shuffle, RANKS)), *sums = graph_longs(shuffle_part(shuffle, SUMS));

    for (uint32_t place = 0; place < graph_count(shuffle); place++) {
        ranks[place] = ONE * (100 - DAMPING) / 100 + sums[place] * DAMPING / 100;
        sums[place] = 0;
    }
    *more = shuffle->phase + 1 < PHASES;
    return true;
}

static bool finish(struct shuffle *shuffle) { return graph_emit(shuffle, RANKS); }

const struct shuffle_program shuffle_page_rank = {PROGRAM_PAGE_RANK, begin, send, receive, compute, finish};
