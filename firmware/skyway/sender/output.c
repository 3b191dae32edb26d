#include "skyway/sender/output.h"

#include <string.h>

#include "skyway/units/assist.h"
#include "skyway/phase.h"
#include "skyway/registry/registry.h"
#include "skyway/sender/sender.h"
#include "runtime/heap/safepoint.h"

#define TOP_BYTES 4

uint32_t hw_skyway_sender;

void skyway_roots_set(struct skyway_roots *roots, uint32_t count) {
    roots->range.count = count;
    if (count && !roots->known) {
        hw_root_range_add(&roots->range);
        roots->known = true;
    }
}

static void close_roots(struct skyway_roots *roots) {
    if (roots->known) hw_root_range_remove(&roots->range);
    roots->known = false;
    roots->range.count = 0;
}

static void end_buffer(struct hw_skyway_output *stream) {
    stream->open = false;
    stream->segment = NULL;
    close_roots(&stream->queue_roots);
    close_roots(&stream->shared_roots);
    skyway_stream_close(stream->phase, stream->stream);
}

bool skyway_refuse(struct hw_skyway_output *stream, hw_status status, hw_ref at) {
    if (stream->status == HW_STATUS_OK) {
        stream->status = status;
        stream->at = at;
    }
    return false;
}

/* Gives up the buffer: its owner words mean nothing from now on, and the receiver sees none of it. */
static COLD bool give_up(struct hw_skyway_output *stream) {
    if (stream->open) {
        end_buffer(stream);
        if (stream->sink->abort) stream->sink->abort(stream->sink);
    }
    return false;
}

void hw_skyway_output_open(struct hw_skyway_output *stream, struct hw_skyway_sink *sink, void *work,
                           uint32_t work_bytes, struct hw_skyway_layout receiver) {
    const struct hw_skyway_layout own = HW_SKYWAY_LAYOUT_METADATA;
    uint32_t half = work_bytes / 16 * 8, bound, limit;

    hw_heap_bounds(&bound, &limit);
    *stream = (struct hw_skyway_output){
        .sink = sink,
        .layout = receiver,
        .adjusts = memcmp(&receiver, &own, sizeof own) != 0,
        .bound = bound,
        .span = limit - bound,
        .queue = {.slots = work, .size = half / sizeof(hw_ref)},
    };
    skyway_shared_open(&stream->shared, (char *)work + half, half);
    skyway_lend_queue(stream);
    stream->queue_roots.range.base = stream->queue.slots;
    stream->shared_roots.range.base = stream->shared.objects;
}

/* Declares the waiting objects to be roots while the sink may run a collection. Objects that have waited since the last
 * root are included, because the ring does not tell the collector which of its slots are in use. All of these slots
 * hold references that every collection since has updated. */
static void keep_waiting(struct hw_skyway_output *stream) {
    const struct skyway_queue *queue = &stream->queue;
    uint32_t end = queue->first + queue->count;

    skyway_roots_set(&stream->queue_roots, queue->wrapped || end > queue->size ? queue->size : end);
}

static OFTEN bool send(struct hw_skyway_output *stream, uint32_t bytes) {
    keep_waiting(stream);
    bool sent = stream->sink->send(stream->sink, bytes);
    hw_safepoint();
    return sent || skyway_refuse(stream, HW_STATUS_NOT_SENT, 0);
}

static uint32_t room(const struct hw_skyway_output *stream) {
    return stream->segment ? (uint32_t)(stream->tops - stream->top) : 0;
}

/* Begins a segment, if there is room for its header and a root. */
static bool begin_segment(struct hw_skyway_output *stream) {
    struct hw_skyway_sink *sink = stream->sink;

    if (sink->limit - sink->at < (ptrdiff_t)(sizeof(struct skyway_segment) + SKYWAY_TAIL)) return false;
    stream->segment = sink->at;
    stream->top = sink->at + sizeof(struct skyway_segment);
    stream->tops = sink->at + (sink->limit - sink->at) / 8 * 8;
    return true;
}

/* Reverses the roots where they are, then moves them to `to`, which may overlap with them. */
static COLD_CALL void reverse_and_move(uint32_t *roots, uint32_t count, uint32_t *to) {
    for (uint32_t i = 0; i < count / 2; i++) {
        uint32_t kept = roots[i];

        roots[i] = roots[count - 1 - i];
        roots[count - 1 - i] = kept;
    }
    memmove(to, roots, count * TOP_BYTES);
}

/* The roots were stored downwards from the end of the buffer. Moves them behind the objects, in order, and returns
 * their number. */
static uint32_t place_tops(struct hw_skyway_output *stream, const uint8_t *limit) {
    uint32_t count = (uint32_t)(limit - stream->tops) / TOP_BYTES;
    uint32_t *roots = (uint32_t *)(void *)stream->tops, *to = (uint32_t *)(void *)stream->top;

    if (LIKELY(to + count <= roots))
        for (uint32_t i = 0; i < count; i++) to[i] = roots[count - 1 - i];
    else
        reverse_and_move(roots, count, to);
    if (count % 2) to[count] = 0;
    return count;
}

OFTEN bool hw_skyway_flush(struct hw_skyway_output *stream) {
    struct hw_skyway_sink *sink = stream->sink;

    if (stream->status != HW_STATUS_OK) return give_up(stream);
    if (!stream->open || !stream->segment) return true;
    uint8_t *limit = sink->at + (sink->limit - sink->at) / 8 * 8;
    uint32_t objects = (uint32_t)(stream->top - stream->segment) - sizeof(struct skyway_segment);

    if (objects == 0 && stream->tops == limit) return true;
    uint32_t tops = place_tops(stream, limit);

    *(struct skyway_segment *)(void *)stream->segment =
        (struct skyway_segment){.magic = SKYWAY_SEGMENT, .base = stream->base, .bytes = objects, .tops = tops};
    stream->segment = NULL;
    stream->base += objects;
    return send(stream, (uint32_t)sizeof(struct skyway_segment) + objects + skyway_tops_bytes(tops)) || give_up(stream);
}

/* Makes room for this many bytes and a root behind them, in the segment under way or in a new one. Returns false if
 * even an empty buffer has no room, or, with a status, if the sink failed. */
static OFTEN bool make_room(struct hw_skyway_output *stream, uint32_t bytes) {
    if (room(stream) >= bytes + SKYWAY_TAIL) return true;
    if (!hw_skyway_flush(stream)) return false;
    return (stream->segment || begin_segment(stream)) && room(stream) >= bytes + SKYWAY_TAIL;
}

/* Flushes the sink's buffer while less than half of it is left, so that a unit need not stop where software would have
 * begun another segment. */
bool skyway_roomy(struct hw_skyway_output *stream) {
    const struct hw_skyway_sink *sink = stream->sink;
    uint32_t all = (uint32_t)(sink->limit - sink->at) / 8 * 8, wanted = stream->last + SKYWAY_TAIL;

    if (!sink->drains) return make_room(stream, 0);
    if (wanted > all - sizeof(struct skyway_segment)) return false;
    if (stream->segment && room(stream) < (wanted > all / 2 ? wanted : all / 2) && !hw_skyway_flush(stream))
        return false;
    return make_room(stream, 0);
}

/* Sends an object larger than the output buffer in a segment of its own, one buffer at a time. It stays first in the
 * queue, which gives its address after the sink may have run a collection. */
static COLD bool send_large(struct hw_skyway_output *stream, uint32_t bytes) {
    struct hw_skyway_sink *sink = stream->sink;

    if (!sink->drains || !hw_skyway_flush(stream))
        return skyway_refuse(stream, HW_STATUS_OUTPUT_FULL, stream->queue.slots[stream->queue.first]);
    *(struct skyway_segment *)(void *)sink->at =
        (struct skyway_segment){.magic = SKYWAY_SEGMENT, .base = stream->base, .bytes = bytes};
    stream->segment = NULL;
    if (!send(stream, sizeof(struct skyway_segment))) return false;
    for (uint32_t from = 0, part; from < bytes; from += part) {
        hw_ref object = stream->queue.slots[stream->queue.first];
        uint32_t capacity = (uint32_t)(sink->limit - sink->at) / 8 * 8;

        part = bytes - from < capacity ? bytes - from : capacity;
        if (part == 0) return skyway_refuse(stream, HW_STATUS_OUTPUT_FULL, object);
        if (!skyway_clone_part(stream, object, hw_klass_of(hw_pointer(object)), from, from + part,
                               (uint32_t *)(void *)sink->at) ||
            !send(stream, part))
            return false;
    }
    stream->base += bytes;
    return true;
}

/* Gives the class of the first waiting object its type id. This may ask the driver, and the object may move
 * meanwhile. */
static COLD bool load_class(struct hw_skyway_output *stream) {
    struct hw_klass *klass =
        hw_pointer(((struct hw_object *)hw_pointer(stream->queue.slots[stream->queue.first]))->klass);

    keep_waiting(stream);
    hw_status status = hw_skyway_load_class(klass);

    return status == HW_STATUS_OK || skyway_refuse(stream, status, stream->queue.slots[stream->queue.first]);
}

/* Clones the first waiting object. */
static inline bool send_first(struct hw_skyway_output *stream) {
    struct skyway_queue *queue = &stream->queue;
    hw_ref object = queue->slots[queue->first];
    const struct hw_klass *klass = hw_klass_of(hw_pointer(object));

    if (__builtin_expect(klass->type_id == 0, 0) && !load_class(stream)) return false;
    object = queue->slots[queue->first];
    uint32_t bytes = skyway_clone_bytes(stream, klass, skyway_length(klass, object));

    stream->types = klass->type_id > stream->types ? klass->type_id : stream->types;
    if (make_room(stream, bytes)) {
        object = queue->slots[queue->first];
        if (!(stream->adjusts ? skyway_clone_part(stream, object, klass, 0, bytes, (uint32_t *)(void *)stream->top)
                              : skyway_clone(stream, object, klass, bytes, (uint32_t *)(void *)stream->top)))
            return false;
        stream->top += bytes;
    } else if (stream->status != HW_STATUS_OK || !send_large(stream, bytes)) {
        return false;
    }
    skyway_dequeue(queue);
    return true;
}

/* Begins a buffer for the open phase; ends a buffer of an earlier phase first. */
static bool begin_buffer(struct hw_skyway_output *stream) {
    struct hw_skyway_sink *sink = stream->sink;
    hw_status status;

    if (stream->open && stream->phase == skyway_phase.number && skyway_phase_epoch()) return true;
    if (stream->open && !hw_skyway_output_end(stream)) return false;
    if (stream->queue.size == 0) return skyway_refuse(stream, HW_STATUS_WORK_FULL, 0);
    if (skyway_registry.number == 0) return skyway_refuse(stream, HW_SKYWAY_NO_REGISTRY, 0);
    /* Number, phase and epoch belong together: no other thread may begin a phase in between. */
    hw_critical_enter();
    uint32_t number = skyway_stream_open(&status);

    stream->phase = skyway_phase.number;
    stream->owner = skyway_phase.epoch << HW_EPOCH_SHIFT | number;
    hw_critical_leave();
    if (number == 0) return skyway_refuse(stream, status, 0);
    stream->registry = skyway_registry.number;
    stream->resets = skyway_registry.resets;
    stream->stream = number;
    stream->oldest = hw_epoch_oldest_owner();
    stream->base = stream->free = SKYWAY_FIRST;
    stream->roots = stream->types = stream->refills = stream->again = 0;
    stream->alone = false;
    stream->segment = NULL;
    stream->open = true;
    skyway_shared_clear(&stream->shared);
    if (sink->begin && !sink->begin(sink)) return skyway_refuse(stream, HW_STATUS_NOT_SENT, 0);
    if (sink->limit - sink->at < (ptrdiff_t)sizeof(struct skyway_header))
        return skyway_refuse(stream, HW_STATUS_OUTPUT_FULL, 0);
    *(struct skyway_header *)(void *)sink->at = (struct skyway_header){
        .magic = SKYWAY_MAGIC,
        .version = SKYWAY_VERSION,
        .layout = stream->layout,
        .registry = stream->registry,
        .sender = hw_skyway_sender,
        .phase = stream->phase,
        .stream = number,
    };
    if (UNLIKELY(stream->format)) skyway_adjust_header(stream, (struct skyway_header *)(void *)sink->at);
    return send(stream, sizeof(struct skyway_header));
}

/* Adds a root. For an object that was sent before, its relative address is all that is sent. */
static OFTEN bool add_top(struct hw_skyway_output *stream, uint32_t relative) {
    if (!make_room(stream, 0)) return skyway_refuse(stream, HW_STATUS_OUTPUT_FULL, 0);
    stream->tops -= TOP_BYTES;
    memcpy(stream->tops, &relative, TOP_BYTES);
    stream->roots++;
    return true;
}

/* Takes the fast path as far as possible. */
static void drain(struct hw_skyway_output *stream) {
    if (stream->adjusts || !stream->segment || stream->queue.count == 0) return;
    hw_claims_enter();
    skyway_drain(stream, 0);
    hw_claims_leave();
}

/* Returns the root's relative address. Objects that wait afterwards take the slow path. */
static uint32_t drain_root(struct hw_skyway_output *stream, hw_ref root) {
    if (!stream->segment) begin_segment(stream);
    hw_claims_enter();
    uint32_t relative = stream->adjusts || !stream->segment ? skyway_reach(stream, root) : skyway_drain(stream, root);

    hw_claims_leave();
    return relative;
}

bool skyway_in_phase(struct hw_skyway_output *stream) {
    return (stream->phase == skyway_phase.number && skyway_phase_epoch()) ||
           skyway_refuse(stream, HW_SKYWAY_NO_PHASE, 0);
}

OFTEN bool hw_skyway_write(struct hw_skyway_output *stream, hw_handle root) {
    if (stream->status != HW_STATUS_OK) return false;
    hw_safepoint_settle();
    hw_safepoint();
    if (!begin_buffer(stream) || !skyway_in_phase(stream)) return give_up(stream);
    stream->queue.first = stream->queue.count = stream->queue.held = stream->queue.beyond = stream->again = 0;
    stream->queue.wrapped = false;
    uint32_t before = stream->free, relative = root ? skyway_send_by_unit(stream, root) : 0;

    if (stream->status != HW_STATUS_OK) return give_up(stream);
    if (root && relative == 0) relative = drain_root(stream, root->reference);
    while (stream->status == HW_STATUS_OK && (stream->queue.count || skyway_refill(stream)))
        if (send_first(stream) && skyway_in_phase(stream)) drain(stream);
    /* If the phase has ended, others may have taken the owner words by which the last objects were found. */
    if (stream->status != HW_STATUS_OK || !skyway_in_phase(stream)) return give_up(stream);
    stream->queue.first = 0;
    stream->queue.wrapped = false;
    stream->queue_roots.range.count = 0;
    stream->last = stream->free != before ? stream->free - before : stream->last;
    return add_top(stream, relative) || give_up(stream);
}

OFTEN bool hw_skyway_output_end(struct hw_skyway_output *stream) {
    struct hw_skyway_sink *sink = stream->sink;

    if (!hw_skyway_flush(stream)) return false;
    if (!stream->open) return true;
    /* If the registry has changed meanwhile, some type ids are those of another registry than the header says. */
    if (skyway_registry.number != stream->registry || skyway_registry.resets != stream->resets) {
        skyway_refuse(stream, HW_SKYWAY_OTHER_REGISTRY, 0);
        return give_up(stream);
    }
    if (sink->limit - sink->at < (ptrdiff_t)sizeof(struct skyway_segment)) {
        skyway_refuse(stream, HW_STATUS_OUTPUT_FULL, 0);
        return give_up(stream);
    }
    *(struct skyway_segment *)(void *)sink->at = (struct skyway_segment){
        .magic = SKYWAY_DONE, .base = stream->free, .bytes = stream->roots, .tops = stream->types};
    if (!send(stream, sizeof(struct skyway_segment))) return give_up(stream);
    end_buffer(stream);
    return !sink->end || sink->end(sink) || skyway_refuse(stream, HW_STATUS_NOT_SENT, 0);
}

bool hw_skyway_output_close(struct hw_skyway_output *stream) { return hw_skyway_output_end(stream) || give_up(stream); }
