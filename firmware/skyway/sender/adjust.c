/* A clone in another format is written field by field, each to its place in the receiver's heap. */
#include "skyway/sender/sender.h"

#include <string.h>

/* The bytes [from, limit) of a clone. */
struct part {
    struct hw_skyway_output *stream;
    hw_ref object;
    uint32_t from, limit;
    uint8_t *to;
    bool good;
};

static uint32_t reference_bytes(const struct hw_skyway_output *stream) { return stream->format->words.reference_bytes; }

/* Bytes of a work area of which a part is better used for places of fields. */
#define PLACES_FROM 1024u

static COLD void divide_work(struct hw_skyway_output *stream, void *work, uint32_t bytes) {
    uint32_t half = bytes / 16 * 8;

    stream->queue.slots = work;
    stream->queue.size = half / sizeof(hw_ref);
    skyway_shared_open(&stream->shared, (char *)work + half, half);
    stream->lent = NULL; /* no unit works for such a stream */
    stream->queue_roots.range.base = stream->queue.slots;
    stream->shared_roots.range.base = stream->shared.objects;
}

COLD bool hw_skyway_output_for(struct hw_skyway_output *stream, const struct hw_skyway_format *receiver) {
    const struct hw_skyway_layout own = HW_SKYWAY_LAYOUT_METADATA;
    const struct hw_skyway_layout *layout = &receiver->layout;
    uint32_t work = 2 * stream->queue.size * (uint32_t)sizeof(hw_ref);

    if (!hw_skyway_format_is_sound(receiver) || stream->open || stream->format)
        return skyway_refuse(stream, HW_SKYWAY_BAD_FORMAT, 0);
    stream->layout = *layout;
    stream->format =
        skyway_words_are_own(&receiver->words) && layout->fields % HW_OBJECT_ALIGNMENT == 0 ? NULL : receiver;
    stream->adjusts = stream->format || memcmp(layout, &own, sizeof own) != 0;
    if (stream->format && work >= PLACES_FROM) {
        uint32_t kept = work / 4 < SKYWAY_PLACES_MOST ? work / 4 / 8 * 8 : SKYWAY_PLACES_MOST;

        divide_work(stream, stream->queue.slots, work - kept);
        stream->places = skyway_places_open((char *)stream->queue.slots + (work - kept) / 16 * 16, kept);
    }
    return true;
}

void skyway_adjust_header(const struct hw_skyway_output *stream, struct skyway_header *header) {
    const struct hw_skyway_words *words = &stream->format->words;

    if (!skyway_words_are_own(words)) memcpy(header->words, words, sizeof *words);
}

uint32_t skyway_adjusted_bytes(const struct hw_skyway_output *stream, const struct hw_klass *klass, uint32_t length) {
    const struct hw_skyway_layout *layout = &stream->format->layout;
    uint32_t element = klass->kind == HW_KLASS_KIND_OBJECT_ARRAY ? reference_bytes(stream) : 1u << klass->element_shift;
    uint64_t bytes = klass->object_size ? skyway_place_fields(stream, klass, NULL, NULL)
                                        : layout->elements + (uint64_t)length * element;

    bytes = (bytes + layout->alignment - 1) & ~(uint64_t)(layout->alignment - 1u);
    return bytes > SKYWAY_LIMIT ? UINT32_MAX : (uint32_t)bytes;
}

/* Writes a number, unless it lies in another part. Parts are multiples of 8 bytes, and numbers are aligned, so none
 * lies across parts. */
static void put(struct part *part, uint32_t offset, uint64_t number, uint32_t bytes) {
    if (offset - part->from < part->limit - part->from) memcpy(part->to + (offset - part->from), &number, bytes);
}

static void put_reference(struct part *part, uint32_t offset, hw_ref reference) {
    if (offset - part->from >= part->limit - part->from || !part->good || reference == 0) return;
    uint32_t relative = skyway_reach(part->stream, reference);

    part->good = relative != SKYWAY_NOWHERE;
    put(part, offset, relative, reference_bytes(part->stream));
}

static void put_header(struct part *part, const struct hw_klass *klass) {
    const struct hw_skyway_words *words = &part->stream->format->words;
    uint64_t hash = ((const struct hw_object *)hw_pointer(part->object))->mark >> HW_OBJECT_MARK_HASH_BIT;

    put(part, 0, hash << words->hash_bit | words->unlocked, words->mark_bytes);
    put(part, words->mark_bytes, klass->type_id, words->class_bytes);
    if (klass->object_size == 0) put(part, words->length, hw_array_length(part->object), 4);
}

static void put_field(void *context, uint32_t offset, uint32_t bytes, bool reference, uint32_t place) {
    struct part *part = context;
    uint64_t number = 0;

    memcpy(&number, hw_pointer(part->object + offset), bytes);
    if (reference)
        put_reference(part, place, (hw_ref)number);
    else
        put(part, place, number, bytes);
}

/* Reaches what an instance refers to in the order of this heap's slots, which is the order of every stream. The
 * receiver's order may be another. */
static bool reach_in_order(struct hw_skyway_output *stream, hw_ref object, const struct hw_klass *klass) {
    for (uint32_t offset = HW_OBJECT_METADATA_INSTANCE + HW_OBJECT_METADATA_SIZE; offset < klass->object_size;
         offset += 4) {
        hw_ref reference = *(const hw_ref *)hw_pointer(object + offset);

        if (hw_klass_is_reference(klass, offset) && reference && skyway_reach(stream, reference) == SKYWAY_NOWHERE)
            return false;
    }
    return true;
}

static uint32_t at_least(uint32_t number, uint32_t least) { return number > least ? number : least; }

static void put_elements(struct part *part, const struct hw_klass *klass) {
    uint32_t elements = part->stream->format->layout.elements, length = hw_array_length(part->object);
    uint32_t first = at_least(part->from, elements) - elements; /* byte of the elements */

    if (part->limit <= elements) return;
    if (klass->kind == HW_KLASS_KIND_OBJECT_ARRAY) {
        const hw_ref *slots = hw_pointer(part->object + HW_OBJECT_METADATA_ARRAY_ELEMENTS);
        uint32_t bytes = reference_bytes(part->stream);

        for (uint32_t i = first / bytes; i < length && elements + i * bytes < part->limit && part->good; i++)
            put_reference(part, elements + i * bytes, slots[i]);
        return;
    }
    uint32_t all = length << klass->element_shift, limit = part->limit - elements;

    if (limit > all) limit = all;
    if (first < limit)
        memcpy(part->to + (elements + first - part->from),
               hw_pointer(part->object + HW_OBJECT_METADATA_ARRAY_ELEMENTS + first), limit - first);
}

bool skyway_adjust(struct hw_skyway_output *stream, hw_ref object, const struct hw_klass *klass, uint32_t from,
                   uint32_t limit, void *to) {
    struct part part = {.stream = stream, .object = object, .from = from, .limit = limit, .to = to, .good = true};

    memset(to, 0, limit - from);
    put_header(&part, klass);
    if (klass->object_size == 0) {
        put_elements(&part, klass);
        return part.good;
    }
    if (from == 0 && !reach_in_order(stream, object, klass)) return false;
    skyway_place_fields(stream, klass, put_field, &part);
    return part.good;
}
