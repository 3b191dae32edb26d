#include "skyway/receiver/input.h"

#include <string.h>

#include "skyway/units/assist.h"
#include "skyway/receiver/receiver.h"
#include "skyway/registry/registry.h"
#include "skyway/receiver/update.h"
#include "skyway/registry/worker.h"
#include "runtime/compiler.h"
#include "runtime/heap/input.h"
#include "runtime/heap/object.h"
#include "runtime/heap/safepoint.h"

bool skyway_reject(struct hw_skyway_input *stream, int status, uint32_t at)
{
    if (stream->status == HW_STATUS_OK) {
        stream->status = status;
        stream->at = at;
    }
    return false;
}

static void begin_buffer(struct hw_skyway_input *stream)
{
    stream->state = SKYWAY_AT_HEADER;
    stream->offset = stream->got = 0;
    stream->free = SKYWAY_FIRST;
    stream->chunk_count = stream->last_hit = stream->top_count = stream->top_next = stream->absolutized = 0;
    stream->updates = false;
}

/* Behind a buffer that was read, if any was. One without roots is nobody's, as no one was told of it. */
static void next_buffer(struct hw_skyway_input *stream)
{
    if (stream->state == SKYWAY_WHOLE && stream->top_count == 0)
        hw_input_free(stream->buffer);
    begin_buffer(stream);
}

void hw_skyway_input_open(struct hw_skyway_input *stream, struct hw_skyway_source *source, void *work, uint32_t work_bytes,
                          struct hw_skyway_layout own)
{
    *stream = (struct hw_skyway_input){
        .source = source, .layout = own, .chunks = work, .work_bytes = work_bytes / 8 * 8,
        .tops = (hw_ref *)(void *)((char *)work + work_bytes / 8 * 8), .chunk_bytes = hw_space.options.region_bytes,
    };
    begin_buffer(stream);
}

void hw_skyway_input_restart(struct hw_skyway_input *stream)
{
    if (stream->state != SKYWAY_WHOLE)
        skyway_chunks_drop(stream);
    begin_buffer(stream);
    stream->status = HW_STATUS_OK;
    stream->at = 0;
}

void hw_skyway_free(uint32_t buffer)
{
    hw_input_free(buffer);
}

static uint32_t work_used(const struct hw_skyway_input *stream)
{
    return stream->chunk_count * (uint32_t)sizeof *stream->chunks + stream->top_count * (uint32_t)sizeof *stream->tops;
}

void skyway_chunks_drop(struct hw_skyway_input *stream)
{
    for (uint32_t i = 0; i < stream->chunk_count; i++)
        hw_input_drop(stream->chunks[i].run);
    stream->chunk_count = 0;
}

/* A chunk ends where the next segment does not fit: no object lies across chunks. */
OFTEN bool skyway_chunk_room(struct hw_skyway_input *stream, uint32_t bytes)
{
    struct skyway_chunk *last = stream->chunk_count ? &stream->chunks[stream->chunk_count - 1] : NULL;

    if (bytes == 0 || (last && last->room - last->bytes >= bytes))
        return true;
    if (stream->work_bytes - work_used(stream) < sizeof *last)
        return skyway_reject(stream, HW_STATUS_WORK_FULL, stream->free);
    uint32_t room = bytes > stream->chunk_bytes ? bytes : stream->chunk_bytes;
    hw_ref run = hw_input_take(room);

    if (run == 0)
        return skyway_reject(stream, HW_SKYWAY_OUT_OF_MEMORY, stream->free);
    stream->chunks[stream->chunk_count++] = (struct skyway_chunk){.run = run, .base = stream->free, .room = room};
    return true;
}

static bool check_header(struct hw_skyway_input *stream)
{
    const struct skyway_header *header = &stream->head.header;

    if (header->magic != SKYWAY_MAGIC || header->version != SKYWAY_VERSION || header->reserved[0] || header->reserved[1])
        return skyway_reject(stream, HW_STATUS_BAD_STREAM, 0);
    if (memcmp(&header->layout, &stream->layout, sizeof stream->layout) != 0)
        return skyway_reject(stream, HW_SKYWAY_OTHER_LAYOUT, 0);
    if (skyway_registry.number == 0)
        return skyway_reject(stream, HW_SKYWAY_NO_REGISTRY, 0);
    if (header->registry != skyway_registry.number)
        return skyway_reject(stream, HW_SKYWAY_OTHER_REGISTRY, 0);
    stream->registry = header->registry;
    stream->resets = skyway_registry.resets;
    stream->sender = header->sender;
    stream->phase = header->phase;
    stream->stream = header->stream;
    return true;
}

/* What was noted of objects that were taken at once is taken back from the collector's tables: before the buffer is given up, and before any safepoint. */
static void stray(const struct hw_skyway_input *stream)
{
    if (stream->absolutized)
        hw_input_stray(stream->chunks[0].run, stream->chunks[0].run + stream->chunks[0].bytes);
}

/* What the stream has brought is sound as far as its own words go: makes it objects, and then part of the heap. */
static OFTEN bool finish(struct hw_skyway_input *stream)
{
    const struct skyway_segment *end = &stream->head.segment;
    int status;

    if (end->base != stream->free || end->bytes != stream->top_count || end->tops > UINT16_MAX) {
        stray(stream);
        return skyway_reject(stream, HW_STATUS_BAD_STREAM, stream->offset - (uint32_t)sizeof *end);
    }
    /* It was not more when the objects were taken: the registry is another one since. The driver is not asked, as that is a safepoint. */
    if (stream->absolutized && end->tops > skyway_registry.count) {
        stray(stream);
        return skyway_reject(stream, HW_SKYWAY_OTHER_REGISTRY, 0);
    }
    /* Classes that were numbered after this machine last asked. */
    if (end->tops > skyway_registry.count && (status = skyway_view_extend(end->tops)) != HW_STATUS_OK)
        return skyway_reject(stream, status, 0);
    if (!skyway_absolutize(stream))
        return false;
    /* Meanwhile: its type ids were another's. */
    if (skyway_registry.number != stream->registry || skyway_registry.resets != stream->resets)
        return skyway_reject(stream, HW_SKYWAY_OTHER_REGISTRY, 0);
    stream->buffer = hw_input_buffer();
    for (uint32_t i = 0; i < stream->chunk_count; i++)
        hw_input_publish(stream->chunks[i].run, stream->chunks[i].bytes, stream->buffer);
    for (uint32_t i = 0; stream->updates && i < stream->chunk_count; i++) {
        const struct skyway_chunk *chunk = &stream->chunks[i];

        for (hw_ref object = chunk->run; object < chunk->run + chunk->bytes; object += hw_object_bytes(hw_pointer(object)))
            if (!skyway_update(object)) {
                hw_input_free(stream->buffer);
                stream->chunk_count = 0; /* the collector's, now */
                return skyway_reject(stream, HW_SKYWAY_UPDATE_FAILED, chunk->base + (object - chunk->run));
            }
    }
    stream->chunk_count = 0;
    stream->state = SKYWAY_WHOLE;
    return true;
}

static bool begin_segment(struct hw_skyway_input *stream)
{
    const struct skyway_segment *segment = &stream->head.segment;
    uint32_t at = stream->offset - (uint32_t)sizeof *segment;

    if (segment->magic == SKYWAY_DONE)
        return finish(stream);
    if (segment->magic != SKYWAY_SEGMENT || segment->base != stream->free || segment->bytes % stream->layout.alignment != 0 ||
        segment->bytes > SKYWAY_LIMIT - stream->free)
        return skyway_reject(stream, HW_STATUS_BAD_STREAM, at);
    stream->segment = *segment;
    if (!skyway_chunk_room(stream, segment->bytes))
        return false;
    if (segment->tops > (stream->work_bytes - work_used(stream)) / sizeof *stream->tops)
        return skyway_reject(stream, HW_STATUS_WORK_FULL, stream->free);
    stream->state = SKYWAY_IN_OBJECTS;
    return true;
}

/* Bytes that are worth a command of a unit. */
#define LONG 512u

/* Of what has come, the part that is wanted. */
static inline uint32_t part_of(const uint8_t *at, const uint8_t *limit, uint32_t wanted)
{
    return (size_t)(limit - at) < wanted ? (uint32_t)(limit - at) : wanted;
}

static bool take_head(struct hw_skyway_input *stream, const uint8_t **at, const uint8_t *limit)
{
    uint32_t wanted = stream->state == SKYWAY_AT_HEADER ? sizeof stream->head.header : sizeof stream->head.segment;
    uint32_t part = part_of(*at, limit, wanted - stream->got);

    memcpy((uint8_t *)&stream->head + stream->got, *at, part);
    *at += part;
    stream->got += part;
    stream->offset += part;
    if (stream->got < wanted)
        return true;
    stream->got = 0;
    if (stream->state == SKYWAY_AT_SEGMENT)
        return begin_segment(stream);
    stream->state = SKYWAY_AT_SEGMENT;
    return check_header(stream);
}

/* What comes behind the objects of a buffer that is whole. */
static bool take_end(struct hw_skyway_input *stream, const uint8_t **at)
{
    const uint32_t *tops = (const uint32_t *)(const void *)*at;
    uint32_t count = stream->segment.tops;

    for (uint32_t i = 0; i < count; i++)
        stream->tops[-1 - (int32_t)i] = tops[i];
    stream->top_count = count;
    stream->head.segment = *(const struct skyway_segment *)(const void *)(tops + skyway_tops_bytes(count) / 4);
    count = skyway_tops_bytes(count) + (uint32_t)sizeof(struct skyway_segment);
    *at += count;
    stream->offset += count;
    stream->got = 0;
    return finish(stream);
}

static bool take_objects(struct hw_skyway_input *stream, const uint8_t **at, const uint8_t *limit)
{
    struct skyway_chunk *chunk = stream->chunk_count ? &stream->chunks[stream->chunk_count - 1] : NULL;
    const struct hw_skyway_assist *assist = hw_skyway_assist;
    uint32_t left = stream->segment.bytes - stream->got, part = part_of(*at, limit, left);

    if (part) {
        void *to = hw_pointer(chunk->run + chunk->bytes);
        int status = HW_STATUS_OK;
        bool whole = skyway_is_whole(stream, *at, limit);

        if (assist && part >= LONG)
            status = assist->copy(to, *at, part);
        else if (whole && !assist)
            skyway_take_at_once(stream, *at);
        else
            memcpy(to, *at, part);
        if (status != HW_STATUS_OK)
            return skyway_reject(stream, status, stream->offset);
        *at += part;
        chunk->bytes += part;
        stream->got += part;
        stream->free += part;
        stream->offset += part;
        if (whole)
            return take_end(stream, at);
    }
    if (part == left) {
        stream->got = 0;
        stream->state = SKYWAY_IN_TOPS;
    }
    return true;
}

static bool take_tops(struct hw_skyway_input *stream, const uint8_t **at, const uint8_t *limit)
{
    uint32_t wanted = skyway_tops_bytes(stream->segment.tops), tops = stream->segment.tops * 4;

    /* Whole words of what has come, as nearly all do. */
    for (; stream->got % 4 == 0 && stream->got < tops && limit - *at >= 4; *at += 4, stream->got += 4, stream->offset += 4)
        memcpy(stream->tops - 1 - stream->top_count++, *at, 4);
    while (stream->got < wanted && *at < limit) {
        uint8_t byte = *(*at)++;

        if (stream->got < tops)
            ((uint8_t *)(stream->tops - 1 - stream->top_count))[stream->got % 4] = byte;
        else if (byte != 0)
            return skyway_reject(stream, HW_STATUS_BAD_STREAM, stream->offset - (stream->got - tops));
        stream->got++;
        stream->offset++;
        if (stream->got <= tops && stream->got % 4 == 0)
            stream->top_count++;
    }
    if (stream->got == wanted) {
        stream->got = 0;
        stream->state = SKYWAY_AT_SEGMENT;
    }
    return true;
}

/* Whether the part under way is complete without another byte, as an empty one is at once. */
static bool complete(const struct hw_skyway_input *stream)
{
    return (stream->state == SKYWAY_IN_OBJECTS && stream->got == stream->segment.bytes) ||
           (stream->state == SKYWAY_IN_TOPS && stream->got == skyway_tops_bytes(stream->segment.tops));
}

OFTEN bool hw_skyway_take(struct hw_skyway_input *stream, const uint8_t *data, uint32_t bytes, uint32_t *taken)
{
    const uint8_t *at = data, *limit = data + bytes;
    bool good = stream->status == HW_STATUS_OK;

    if (good && stream->state == SKYWAY_WHOLE && stream->top_next == stream->top_count)
        next_buffer(stream);
    while (good && stream->state != SKYWAY_WHOLE && (at < limit || complete(stream)))
        switch (stream->state) {
        case SKYWAY_IN_OBJECTS:
            good = take_objects(stream, &at, limit);
            break;
        case SKYWAY_IN_TOPS:
            good = take_tops(stream, &at, limit);
            break;
        default:
            good = take_head(stream, &at, limit);
            break;
        }
    *taken = (uint32_t)(at - data);
    if (!good)
        skyway_chunks_drop(stream);
    return good;
}

/* The next buffer, as a whole. */
static bool receive(struct hw_skyway_input *stream)
{
    struct hw_skyway_source *source = stream->source;

    next_buffer(stream);
    do {
        uint32_t taken;

        if (source->at == source->limit && !(source->fetch && source->fetch(source))) {
            bool between = stream->state == SKYWAY_AT_HEADER && stream->got == 0;

            skyway_chunks_drop(stream);
            return skyway_reject(stream, between ? HW_SKYWAY_END : HW_SKYWAY_CUT, stream->offset);
        }
        bool good = hw_skyway_take(stream, source->at, (uint32_t)(source->limit - source->at), &taken);

        source->at += taken;
        if (!good)
            return false;
    } while (stream->state != SKYWAY_WHOLE);
    return true;
}

OFTEN bool hw_skyway_read_object(struct hw_skyway_input *stream, hw_handle *root)
{
    *root = NULL;
    /* These may be otherwise the next time. */
    if (stream->status == HW_SKYWAY_END || stream->status == HW_SKYWAY_NO_HANDLE)
        stream->status = HW_STATUS_OK;
    if (stream->status != HW_STATUS_OK)
        return false;
    while (stream->state != SKYWAY_WHOLE || stream->top_next == stream->top_count)
        if (!receive(stream))
            return false;
    hw_ref reference = stream->tops[-1 - (int32_t)stream->top_next];

    if (reference && !(*root = hw_handle_new(reference)))
        return skyway_reject(stream, HW_SKYWAY_NO_HANDLE, 0);
    stream->top_next++;
    return true;
}
