#include "skyway/receiver/input.h"

#include <string.h>

#include "skyway/units/assist.h"
#include "skyway/receiver/receiver.h"
#include "skyway/registry/registry.h"
#include "runtime/heap/input.h"
#include "runtime/heap/object.h"
#include "runtime/heap/safepoint.h"

bool skyway_reject(struct hw_skyway_input *stream, hw_status status, uint32_t at) {
    if (stream->status == HW_STATUS_OK) {
        stream->status = status;
        stream->at = at;
    }
    return false;
}

static void begin_buffer(struct hw_skyway_input *stream) {
    stream->state = SKYWAY_AT_HEADER;
    stream->offset = stream->got = 0;
    stream->free = SKYWAY_FIRST;
    stream->chunk_count = stream->last_hit = stream->top_count = stream->top_next = stream->absolutized = 0;
    stream->updates = false;
}

/* Goes to the next buffer, if one was read before. A buffer without roots is freed, because the program does not learn
 * of it. */
static void next_buffer(struct hw_skyway_input *stream) {
    if (stream->state == SKYWAY_WHOLE && stream->top_count == 0) hw_input_free(stream->buffer);
    begin_buffer(stream);
}

void hw_skyway_input_open(struct hw_skyway_input *stream, struct hw_skyway_source *source, void *work,
                          uint32_t work_bytes, struct hw_skyway_layout own) {
    *stream = (struct hw_skyway_input){
        .source = source,
        .layout = own,
        .chunks = work,
        .work_bytes = work_bytes / 8 * 8,
        .tops = (hw_ref *)(void *)((char *)work + work_bytes / 8 * 8),
        .chunk_bytes = hw_space.options.region_bytes,
    };
    begin_buffer(stream);
}

void hw_skyway_input_restart(struct hw_skyway_input *stream) {
    if (stream->state != SKYWAY_WHOLE) skyway_chunks_drop(stream);
    begin_buffer(stream);
    stream->status = HW_STATUS_OK;
    stream->at = 0;
}

void hw_skyway_free(uint32_t buffer) { hw_input_free(buffer); }

static uint32_t work_used(const struct hw_skyway_input *stream) {
    return stream->chunk_count * (uint32_t)sizeof *stream->chunks + stream->top_count * (uint32_t)sizeof *stream->tops;
}

void skyway_chunks_drop(struct hw_skyway_input *stream) {
    for (uint32_t i = 0; i < stream->chunk_count; i++) hw_input_drop(stream->chunks[i].run);
    stream->chunk_count = 0;
}

/* Makes the last chunk longer, by at least a regular chunk. A unit takes only buffers of one chunk, so this is worth it
 * where there is a unit. Software takes a new chunk instead: a shorter run is free again sooner. */
static COLD_CALL bool extend_chunk(const struct hw_skyway_input *stream, struct skyway_chunk *last, uint32_t bytes) {
    uint32_t more = bytes > stream->chunk_bytes ? bytes : stream->chunk_bytes,
             room = hw_skyway_assist && stream->chunk_count == 1 ? hw_input_extend(last->run, last->bytes + more) : 0;

    if (room) last->room = room;
    return room != 0;
}

/* If a segment does not fit into the last chunk, a new chunk begins: no object lies across chunks. */
OFTEN bool skyway_chunk_room(struct hw_skyway_input *stream, uint32_t bytes) {
    struct skyway_chunk *last = stream->chunk_count ? &stream->chunks[stream->chunk_count - 1] : NULL;

    if (bytes == 0 || (last && (last->room - last->bytes >= bytes || extend_chunk(stream, last, bytes)))) return true;
    if (stream->work_bytes - work_used(stream) < sizeof *last)
        return skyway_reject(stream, HW_STATUS_WORK_FULL, stream->free);
    uint32_t room = bytes > stream->chunk_bytes ? bytes : stream->chunk_bytes;
    hw_ref run = hw_input_take(room);

    if (run == 0) return skyway_reject(stream, hw_heap_full, stream->free);
    stream->chunks[stream->chunk_count++] = (struct skyway_chunk){.run = run, .base = stream->free, .room = room};
    return true;
}

static bool check_header(struct hw_skyway_input *stream) {
    const struct skyway_header *header = &stream->head.header;

    if (header->magic != SKYWAY_MAGIC || header->version != SKYWAY_VERSION)
        return skyway_reject(stream, HW_STATUS_BAD_STREAM, 0);
    if (memcmp(&header->layout, &stream->layout, sizeof stream->layout) != 0 || header->words[0] || header->words[1])
        return skyway_reject(stream, HW_SKYWAY_OTHER_LAYOUT, 0);
    if (skyway_registry.number == 0) return skyway_reject(stream, HW_SKYWAY_NO_REGISTRY, 0);
    if (header->registry != skyway_registry.number) return skyway_reject(stream, HW_SKYWAY_OTHER_REGISTRY, 0);
    stream->registry = header->registry;
    stream->resets = skyway_registry.resets;
    stream->sender = header->sender;
    stream->phase = header->phase;
    stream->stream = header->stream;
    return true;
}

/* Clears what skyway_take_at_once has noted in the collector's tables. This must happen before the buffer is given up
 * and before any safepoint. */
static COLD_CALL void stray(const struct hw_skyway_input *stream) {
    if (stream->absolutized) hw_input_stray(stream->chunks[0].run, stream->chunks[0].run + stream->chunks[0].bytes);
}

/* Calls the update functions of a buffer's objects. */
static COLD_CALL bool update_objects(struct hw_skyway_input *stream) {
    for (uint32_t i = 0; i < stream->chunk_count; i++) {
        const struct skyway_chunk *chunk = &stream->chunks[i];

        for (hw_ref object = chunk->run; object < chunk->run + chunk->bytes;
             object += hw_object_bytes(hw_pointer(object)))
            if (!skyway_update(object)) {
                hw_input_free(stream->buffer);
                stream->chunk_count = 0; /* the chunks now belong to the collector */
                return skyway_reject(stream, HW_SKYWAY_UPDATE_FAILED, chunk->base + (object - chunk->run));
            }
    }
    return true;
}

/* Completes a buffer whose framing is sound: turns its contents into objects and makes them part of the heap. */
static OFTEN bool finish(struct hw_skyway_input *stream) {
    const struct skyway_segment *end = &stream->head.segment;
    hw_status status;

    if (end->base != stream->free || end->bytes != stream->top_count || end->tops > UINT16_MAX) {
        stray(stream);
        return skyway_reject(stream, HW_STATUS_BAD_STREAM, stream->offset - (uint32_t)sizeof *end);
    }
    /* When the objects were taken, the registry had these ids, so it has changed since. The driver is not asked,
     * because that would be a safepoint. */
    if (UNLIKELY(end->tops > skyway_registry.count)) {
        if (stream->absolutized) {
            stray(stream);
            return skyway_reject(stream, HW_SKYWAY_OTHER_REGISTRY, 0);
        }
        /* Asks for classes that were numbered after this machine last asked. */
        if ((status = skyway_view_extend(end->tops)) != HW_STATUS_OK) return skyway_reject(stream, status, 0);
    }
    if (!skyway_absolutize(stream)) return false;
    /* If the registry has changed meanwhile, the type ids were those of another one. */
    if (skyway_registry.number != stream->registry || skyway_registry.resets != stream->resets)
        return skyway_reject(stream, HW_SKYWAY_OTHER_REGISTRY, 0);
    stream->buffer = hw_input_buffer();
    for (uint32_t i = 0; i < stream->chunk_count; i++)
        hw_input_publish(stream->chunks[i].run, stream->chunks[i].bytes, stream->buffer);
    if (UNLIKELY(stream->updates) && !update_objects(stream)) return false;
    stream->chunk_count = 0;
    stream->state = SKYWAY_WHOLE;
    return true;
}

static bool begin_segment(struct hw_skyway_input *stream) {
    const struct skyway_segment *segment = &stream->head.segment;
    uint32_t at = stream->offset - (uint32_t)sizeof *segment;

    if (segment->magic == SKYWAY_DONE) return finish(stream);
    if (segment->magic != SKYWAY_SEGMENT || segment->base != stream->free ||
        segment->bytes % stream->layout.alignment != 0 || segment->bytes > SKYWAY_LIMIT - stream->free)
        return skyway_reject(stream, HW_STATUS_BAD_STREAM, at);
    stream->segment = *segment;
    if (!skyway_chunk_room(stream, segment->bytes)) return false;
    if (segment->tops > (stream->work_bytes - work_used(stream)) / sizeof *stream->tops)
        return skyway_reject(stream, HW_STATUS_WORK_FULL, stream->free);
    stream->state = SKYWAY_IN_OBJECTS;
    return true;
}

/* Number of bytes from which a copy is worth a command of a unit. */
#define LONG 512u

/* Returns how many of the bytes [at, limit) are wanted. */
static inline uint32_t part_of(const uint8_t *at, const uint8_t *limit, uint32_t wanted) {
    return (size_t)(limit - at) < wanted ? (uint32_t)(limit - at) : wanted;
}

/* Copies the whole header, stream's or segment's, without a call of memcpy: small buffers consist of headers for a good
 * part. */
static inline void copy_head(struct hw_skyway_input *stream, const void *at) {
    if (stream->state == SKYWAY_AT_HEADER)
        stream->head.header = *(const struct skyway_header *)at;
    else
        stream->head.segment = *(const struct skyway_segment *)at;
}

static bool take_head(struct hw_skyway_input *stream, const uint8_t **at, const uint8_t *limit) {
    uint32_t wanted = stream->state == SKYWAY_AT_HEADER ? sizeof stream->head.header : sizeof stream->head.segment;
    uint32_t part = part_of(*at, limit, wanted - stream->got);

    if (LIKELY(part == wanted && (uintptr_t)*at % sizeof(uint32_t) == 0))
        copy_head(stream, *at);
    else
        memcpy((uint8_t *)&stream->head + stream->got, *at, part);
    *at += part;
    stream->got += part;
    stream->offset += part;
    if (stream->got < wanted) return true;
    stream->got = 0;
    if (stream->state == SKYWAY_AT_SEGMENT) return begin_segment(stream);
    stream->state = SKYWAY_AT_SEGMENT;
    return check_header(stream);
}

/* Takes what follows the objects of a complete buffer. */
static bool take_end(struct hw_skyway_input *stream, const uint8_t **at) {
    const uint32_t *tops = (const uint32_t *)(const void *)*at;
    uint32_t count = stream->segment.tops;

    for (uint32_t i = 0; i < count; i++) stream->tops[-1 - (int32_t)i] = tops[i];
    stream->top_count = count;
    stream->head.segment = *(const struct skyway_segment *)(const void *)(tops + skyway_tops_bytes(count) / 4);
    count = skyway_tops_bytes(count) + (uint32_t)sizeof(struct skyway_segment);
    *at += count;
    stream->offset += count;
    stream->got = 0;
    return finish(stream);
}

static bool take_objects(struct hw_skyway_input *stream, const uint8_t **at, const uint8_t *limit) {
    struct skyway_chunk *chunk = stream->chunk_count ? &stream->chunks[stream->chunk_count - 1] : NULL;
    const struct hw_skyway_assist *assist = hw_skyway_assist;
    uint32_t left = stream->segment.bytes - stream->got, part = part_of(*at, limit, left);

    if (part) {
        void *to = hw_pointer(chunk->run + chunk->bytes);
        hw_status status = HW_STATUS_OK;
        bool whole = skyway_is_whole(stream, *at, limit);

        if (assist && part >= LONG)
            status = assist->copy(to, *at, part);
        else if (whole && !assist)
            skyway_take_at_once(stream, *at);
        else
            memcpy(to, *at, part);
        if (status != HW_STATUS_OK) return skyway_reject(stream, status, stream->offset);
        *at += part;
        chunk->bytes += part;
        stream->got += part;
        stream->free += part;
        stream->offset += part;
        if (whole) return take_end(stream, at);
    }
    if (part == left) {
        stream->got = 0;
        stream->state = SKYWAY_IN_TOPS;
    }
    return true;
}

/* Only for a buffer that has not arrived as a whole. */
static COLD_CALL bool take_tops(struct hw_skyway_input *stream, const uint8_t **at, const uint8_t *limit) {
    uint32_t wanted = skyway_tops_bytes(stream->segment.tops), tops = stream->segment.tops * 4;

    /* Nearly all tops arrive in whole words. */
    for (; stream->got % 4 == 0 && stream->got < tops && limit - *at >= 4;
         *at += 4, stream->got += 4, stream->offset += 4)
        memcpy(stream->tops - 1 - stream->top_count++, *at, 4);
    while (stream->got < wanted && *at < limit) {
        uint8_t byte = *(*at)++;

        if (stream->got < tops)
            ((uint8_t *)(stream->tops - 1 - stream->top_count))[stream->got % 4] = byte;
        else if (byte != 0)
            return skyway_reject(stream, HW_STATUS_BAD_STREAM, stream->offset - (stream->got - tops));
        stream->got++;
        stream->offset++;
        if (stream->got <= tops && stream->got % 4 == 0) stream->top_count++;
    }
    if (stream->got == wanted) {
        stream->got = 0;
        stream->state = SKYWAY_AT_SEGMENT;
    }
    return true;
}

/* Returns whether the part under way needs no more bytes. An empty part is complete at once. */
static bool complete(const struct hw_skyway_input *stream) {
    return (stream->state == SKYWAY_IN_OBJECTS && stream->got == stream->segment.bytes) ||
           (stream->state == SKYWAY_IN_TOPS && stream->got == skyway_tops_bytes(stream->segment.tops));
}

OFTEN bool hw_skyway_take(struct hw_skyway_input *stream, const uint8_t *data, uint32_t bytes, uint32_t *taken) {
    const uint8_t *at = data, *limit = data + bytes;
    bool good = stream->status == HW_STATUS_OK;

    if (good && stream->state == SKYWAY_WHOLE && stream->top_next == stream->top_count) next_buffer(stream);
    while (good && stream->state != SKYWAY_WHOLE && (at < limit || complete(stream))) switch (stream->state) {
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
    if (!good) skyway_chunks_drop(stream);
    return good;
}

/* Receives the next buffer, as a whole. */
static bool receive(struct hw_skyway_input *stream) {
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
        if (!good) return false;
    } while (stream->state != SKYWAY_WHOLE);
    return true;
}

OFTEN bool hw_skyway_read(struct hw_skyway_input *stream, hw_handle *root) {
    *root = NULL;
    /* These conditions may have changed since the last call. */
    if (stream->status == HW_SKYWAY_END || stream->status == HW_STATUS_NO_HANDLE) stream->status = HW_STATUS_OK;
    if (stream->status != HW_STATUS_OK) return false;
    while (stream->state != SKYWAY_WHOLE || stream->top_next == stream->top_count)
        if (!receive(stream)) return false;
    hw_ref reference = stream->tops[-1 - (int32_t)stream->top_next];

    if (reference && !(*root = hw_handle_new(reference))) return skyway_reject(stream, HW_STATUS_NO_HANDLE, 0);
    stream->top_next++;
    return true;
}
