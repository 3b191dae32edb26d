#include "cereal/codec/pending.h"

#include <string.h>

void cereal_queue_move(struct cereal_queue *queue, struct cereal_pending *top) {
    size_t count = (size_t)(queue->first - queue->last);

    memmove(top - count, queue->last, count * sizeof *top);
    queue->first = queue->top = top;
    queue->last = top - count;
}
