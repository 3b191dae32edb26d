/* The gray queue, and the objects that do not fit into it.
 *
 * An object that was reached has its relative address in its metadata, or in the table of shared objects. So the queue
 * need not hold all of them. From the first object that finds the queue full, later ones stay out. When the queue is
 * empty, a walk through the heap and the table brings in the objects that come next. The order is that of the relative
 * addresses, so a stream is the same however small its queue.
 */
#include <string.h>

#include "skyway/sender/sender.h"
#include "runtime/heap/safepoint.h"
#include "runtime/heap/walk.h"

void skyway_enqueue(struct hw_skyway_output *stream, hw_ref object, uint32_t relative) {
    struct skyway_queue *queue = &stream->queue;
    uint32_t at = queue->first + queue->count;

    if (queue->beyond || queue->count + queue->held == queue->size) {
        queue->beyond = queue->beyond ? queue->beyond : relative;
        return;
    }
    queue->slots[at < queue->size ? at : at - queue->size] = object;
    queue->count++;
}

/* The walk under way, with the world stopped: its stream, and the lowest address beyond the queue's reach. */
static struct hw_skyway_output *refilled;
static uint32_t following;

/* Each granule of the image, from the first wanted address on, has a slot of the ring, so the objects come out in
 * order. */
static void place(hw_ref object, uint32_t relative) {
    const struct skyway_queue *queue = &refilled->queue;
    uint32_t slot = (relative - queue->beyond) / HW_OBJECT_ALIGNMENT;

    if (relative < queue->beyond) return;
    if (slot < queue->size)
        queue->slots[slot] = object;
    else if (relative < following)
        following = relative;
}

static void visit(hw_ref object) {
    const struct hw_klass *klass = hw_klass_of(hw_pointer(object));

    if (!(klass->flags & HW_KLASS_FLAG_METADATA)) return;
    const uint32_t *word = skyway_metadata(object, klass);

    if (word[0] == refilled->owner) place(object, word[1]);
}

/* Closes the gaps between the objects that were found. Their bytes must add up to the following address. If not,
 * returns false: an object is missing, because somebody changed the graph while it was being sent and the object was
 * collected. */
static bool close_up(struct hw_skyway_output *stream) {
    struct skyway_queue *queue = &stream->queue;
    uint32_t expected = queue->beyond;

    queue->first = queue->count = 0;
    for (uint32_t i = 0; i < queue->size; i++) {
        hw_ref object = queue->slots[i];

        if (!object) continue;
        const struct hw_klass *klass = hw_klass_of(hw_pointer(object));

        expected += skyway_clone_bytes(stream, klass, skyway_length(klass, object));
        queue->slots[queue->count++] = object;
    }
    queue->beyond = following == UINT32_MAX ? 0 : following;
    return queue->count != 0 && expected == (queue->beyond ? queue->beyond : stream->free);
}

OFTEN bool skyway_refill(struct hw_skyway_output *stream) {
    struct skyway_queue *queue = &stream->queue;

    if (stream->again) return skyway_refuse(stream, HW_STATUS_BAD_OBJECT, 0);
    if (queue->beyond == 0) return false;
    stream->queue_roots.range.count = 0;
    hw_safepoint_stop_world();
    refilled = stream;
    following = UINT32_MAX;
    memset(queue->slots, 0, queue->size * sizeof *queue->slots);
    bool whole = hw_heap_each(visit);

    for (uint32_t i = 0; i < stream->shared.count; i++) place(stream->shared.objects[i], stream->shared.relative[i]);
    hw_safepoint_resume_world();
    stream->refills++;
    return (whole && close_up(stream)) || skyway_refuse(stream, HW_STATUS_BAD_OBJECT, 0);
}
