/* A queue of the objects that have a number but are not written yet, in the order of their numbers.
 *
 * The packed references grow upwards in the work area, the queue downwards. When the queue is empty it starts again at
 * the top, so that it stays in one cache line for a list.
 */
#ifndef HW_CEREAL_CODEC_PENDING_H
#define HW_CEREAL_CODEC_PENDING_H

#include <stdbool.h>

#include "cereal/codec/class.h"

struct cereal_pending {
    hw_ref object;
    hw_ref class; /* address of its struct hw_cereal_class */
};

struct cereal_queue {
    struct cereal_pending *first; /* just above the next element to be taken */
    struct cereal_pending *last;  /* the element that was put last */
    struct cereal_pending *top;
};

static inline bool cereal_queue_empty(const struct cereal_queue *queue) { return queue->first == queue->last; }

/* Appends an object. There must be room. */
static inline void cereal_queue_put(struct cereal_queue *queue, hw_ref object, const struct hw_cereal_class *class) {
    *--queue->last = (struct cereal_pending){object, hw_reference(class)};
}

static inline struct cereal_pending cereal_queue_take(struct cereal_queue *queue) {
    struct cereal_pending taken = *--queue->first;

    if (queue->first == queue->last) queue->first = queue->last = queue->top;
    return taken;
}

/* Moves the elements of the queue to below `top`. */
void cereal_queue_move(struct cereal_queue *queue, struct cereal_pending *top);

#endif
