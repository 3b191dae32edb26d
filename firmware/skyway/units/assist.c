#include "skyway/units/assist.h"

#include <string.h>

#include "skyway/receiver/receiver.h"
#include "skyway/registry/registry.h"
#include "skyway/sender/sender.h"
#include "runtime/thread.h"
#include "runtime/heap/card.h"

#define UNIT_ALIGNMENT 64u
/* Bytes of a chunk that 64 bytes of its map describe. */
#define MAPPED (UNIT_ALIGNMENT * 8 * HW_OBJECT_ALIGNMENT)

const struct hw_skyway_assist *hw_skyway_assist;

void skyway_classes_enter(void) {
    hw_critical_enter();
    if (hw_skyway_assist) hw_skyway_assist->quiet();
}

void hw_skyway_assist_by(const struct hw_skyway_assist *assist) {
    hw_critical_enter();
    if (assist) assist->quiet();
    hw_skyway_assist = assist;
    if (assist) assist->forget();
    for (uint32_t id = 1; assist && id <= skyway_registry.count; id++)
        if (skyway_registry.classes[id].klass) assist->learn(skyway_registry.classes[id].klass);
    hw_critical_leave();
}

static uintptr_t aligned(const void *at) {
    return ((uintptr_t)at + UNIT_ALIGNMENT - 1) & ~(uintptr_t)(UNIT_ALIGNMENT - 1);
}

void skyway_lend_queue(struct hw_skyway_output *stream) {
    uintptr_t base = aligned(stream->queue.slots), limit = (uintptr_t)(stream->queue.slots + stream->queue.size);

    if (limit < base + UNIT_ALIGNMENT) return;
    stream->lent = (void *)base;
    stream->lent_log = 6;
    while ((uintptr_t)2 << stream->lent_log <= limit - base && stream->lent_log < 24) stream->lent_log++;
}

/* Returns whether software takes over. It does if the object graph, the stream or a full table caused the error:
 * software then completes the command, or reports what is wrong and where. Any other status is an error of the machine
 * and is reported as it is. */
static bool left_to_software(hw_status status) {
    switch (status) {
        case HW_STATUS_UNSUPPORTED:
        case HW_STATUS_UNREGISTERED_CLASS:
        case HW_STATUS_SHARED_OBJECT:
        case HW_STATUS_WORK_FULL:
        case HW_STATUS_OUTPUT_FULL:
        case HW_STATUS_BAD_OBJECT:
        case HW_STATUS_BAD_VALUE:
        case HW_STATUS_BAD_REFERENCE:
            return true;
        default:
            return false;
    }
}

OFTEN uint32_t skyway_send_by_unit(struct hw_skyway_output *stream, hw_handle root) {
    const struct hw_skyway_assist *assist = hw_skyway_assist;
    struct hw_skyway_sending sending;
    struct hw_skyway_sent sent;
    const struct hw_klass *klass = hw_klass_of(hw_pointer(root->reference));

    if (!assist || stream->adjusts || !(klass->flags & HW_KLASS_FLAG_METADATA) ||
        klass->kind > HW_KLASS_KIND_OBJECT_ARRAY || *skyway_metadata(root->reference, klass) == stream->owner)
        return 0;
    bool roomy = !stream->alone && skyway_roomy(stream) && skyway_in_phase(stream);

    if (stream->status != HW_STATUS_OK) return 0;
    /* The table of shared objects is not empty. Another stream may have given up one of these objects since, and the
     * unit would then send it again. */
    if (!roomy || stream->shared.count != 0 || !stream->lent) {
        stream->fallbacks++;
        return 0;
    }
    sending.object = root->reference;
    sending.output = stream->top;
    sending.output_limit = stream->tops - SKYWAY_TAIL;
    sending.work = stream->lent;
    sending.work_log = stream->lent_log;
    sending.owner = stream->owner;
    sending.bound = stream->bound;
    sending.limit = stream->bound + stream->span;
    sending.relative = stream->free;
    if (sending.output > sending.output_limit || !assist->send(&sending, &sent)) {
        stream->fallbacks++;
        return 0;
    }
    /* If the phase ended while the command waited for its turn, the unit rejects the owner word. That is no error. */
    if (sent.status != HW_STATUS_OK && !left_to_software(sent.status)) {
        if (skyway_in_phase(stream)) skyway_refuse(stream, sent.status, sent.at);
        return 0;
    }
    stream->types = sent.types > stream->types ? sent.types : stream->types;
    if (sent.status == HW_STATUS_OK) {
        stream->top += sent.top - stream->free;
        stream->free = sent.top;
        stream->commands++;
        return sending.relative;
    }
    /* Software clones from the root on. It meets the objects that the unit has numbered in the order of their
     * numbers. */
    stream->fallbacks++;
    stream->alone |= sent.status != HW_STATUS_OUTPUT_FULL;
    if (sent.objects != 0) stream->again = stream->free;
    stream->free = sent.top;
    return 0;
}

/* Lends the free part of the work area, between chunks and tops. */
static uint32_t *lend_work(const struct hw_skyway_input *stream, uint32_t bytes) {
    uintptr_t base = aligned(stream->chunks + stream->chunk_count),
              limit = (uintptr_t)(stream->tops - stream->top_count);

    return base <= limit && limit - base >= bytes ? (uint32_t *)base : NULL;
}

static bool begins_object(const struct hw_skyway_moving *moving, uint32_t offset) {
    return moving->map[offset / (32 * HW_OBJECT_ALIGNMENT)] >> offset / HW_OBJECT_ALIGNMENT % 32 & 1;
}

/* Absolutizes the tops, as software does after its pass over the objects. `stray`: the lowest address to which an
 * object refers and at which no object begins, or 0. */
static bool finish_tops(struct hw_skyway_input *stream, const struct hw_skyway_moving *moving, uint32_t stray) {
    for (uint32_t i = 0; i < stream->top_count; i++) {
        hw_ref *top = &stream->tops[-1 - (int32_t)i];
        uint32_t relative = *top, offset = relative - SKYWAY_FIRST;

        if (relative == 0) continue;
        if (relative % HW_OBJECT_ALIGNMENT != 0 || offset >= moving->bytes)
            return skyway_reject(stream, HW_STATUS_BAD_REFERENCE, 0);
        if (!begins_object(moving, offset) && (stray == 0 || relative < stray)) stray = relative;
        *top = moving->chunk + offset;
    }
    return stray == 0 || skyway_reject(stream, HW_STATUS_BAD_REFERENCE, stray);
}

OFTEN bool skyway_absolutize_by_unit(const struct hw_skyway_assist *assist, struct hw_skyway_input *stream,
                                     bool *good) {
    const struct hw_skyway_layout own = HW_SKYWAY_LAYOUT_METADATA;
    struct hw_skyway_moving moving = {0};
    struct hw_skyway_moved moved;

    if (stream->chunk_count == 0 || memcmp(&stream->layout, &own, sizeof own) != 0) return false;
    moving.chunk = stream->chunks[0].run;
    moving.bytes = stream->chunks[0].bytes;
    moving.map_bytes = (moving.bytes + MAPPED - 1) / MAPPED * UNIT_ALIGNMENT;
    moving.map = lend_work(stream, moving.map_bytes);
    if (stream->chunk_count != 1 || moving.bytes == 0 || moving.chunk % UNIT_ALIGNMENT != 0 || !moving.map ||
        !assist->receive(&moving, &moved) || (left_to_software(moved.status) && !moved.replaced)) {
        stream->fallbacks++;
        return false;
    }
    stream->commands++;
    if (moved.status != HW_STATUS_OK && moved.status != HW_STATUS_BAD_REFERENCE) {
        *good = skyway_reject(stream, moved.status, moved.at);
        return true;
    }
    *good = finish_tops(stream, &moving, moved.status == HW_STATUS_OK ? 0 : moved.at);
    if (*good) hw_starts_note_map(moving.chunk, moving.chunk + moving.bytes, moving.map);
    /* The unit does not look for objects of updated classes. */
    stream->updates = skyway_any_updated();
    return true;
}
