/* The way that nearly all objects take into the output buffer: this runtime's layout, a class that has its number, room in the queue and in
 * the segment, and no other owner. What the loop needs of the stream is in registers meanwhile; anything else is the slow way's
 * (output.c), which begins where this one ends. */
#include "codecs/skyway/phase.h"
#include "codecs/skyway/sender.h"
#include "runtime/compiler.h"
#include "runtime/heap/epoch.h"

#define ELEMENTS HW_OBJECT_METADATA_ARRAY_ELEMENTS

struct draining {
    hw_ref *slots;
    uint32_t size, first, next, count; /* of the ring; next: where the next one waits */
    uint32_t room;                     /* objects that the ring takes without more ado; 0: something is beyond it, or is shared */
    uint32_t owner, used, bound, span, free; /* used: owner words below are nobody's */
};

ALWAYS_INLINE void load(struct draining *draining, const struct hw_skyway_output *stream)
{
    const struct skyway_queue *queue = &stream->queue;
    uint32_t next = queue->first + queue->count;

    draining->first = queue->first;
    draining->count = queue->count;
    draining->next = next < queue->size ? next : next - queue->size;
    draining->free = stream->free;
    /* Whatever is reached now is not more than the heap: it has a relative address. */
    draining->room = queue->beyond == 0 && stream->shared.count == 0 && stream->free <= SKYWAY_LIMIT - stream->span ? queue->size : 0;
}

ALWAYS_INLINE void store(const struct draining *draining, struct hw_skyway_output *stream)
{
    stream->queue.first = draining->first;
    stream->queue.count = draining->count;
    stream->free = draining->free;
}

ALWAYS_INLINE uint32_t reach_slowly(struct draining *draining, struct hw_skyway_output *stream, hw_ref object)
{
    store(draining, stream);
    uint32_t relative = skyway_reach(stream, object);

    load(draining, stream);
    return relative;
}

/* The owner word is this stream's now. False: somebody may want it still. */
ALWAYS_INLINE bool take(uint32_t *word, uint32_t found, uint32_t owner, uint32_t used)
{
    do
        if (UNLIKELY(found >= used))
            return false;
    while (!__atomic_compare_exchange_n(word, &found, owner, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
    return true;
}

/* skyway_reach: SKYWAY_NOWHERE if that has to do it. A class that has its number is of a kind that can be sent. */
ALWAYS_INLINE uint32_t reach_quickly(struct draining *draining, hw_ref object)
{
    uint32_t offset = object - draining->bound, room = draining->span - offset;

    if (UNLIKELY(object % HW_OBJECT_ALIGNMENT != 0 || offset > draining->span - 2 * HW_OBJECT_HEADER_SIZE))
        return SKYWAY_NOWHERE;
    const struct hw_klass *klass = hw_klass_of(hw_pointer(object));
    uint32_t bytes = klass->object_size;
    uint32_t *word = hw_pointer(object + (bytes ? HW_OBJECT_METADATA_INSTANCE : HW_OBJECT_METADATA_ARRAY));

    if (UNLIKELY(!(klass->flags & HW_KLASS_FLAG_METADATA) || klass->type_id == 0))
        return SKYWAY_NOWHERE;
    uint32_t found = *(volatile uint32_t *)word, relative = draining->free;

    if (found == draining->owner)
        return word[1];
    if (bytes == 0) {
        uint32_t length = hw_array_length(object), shift = klass->element_shift;

        if (UNLIKELY(length > (room - ELEMENTS) >> shift))
            return SKYWAY_NOWHERE;
        bytes = hw_object_round(ELEMENTS + (length << shift));
    }
    if (UNLIKELY(draining->count >= draining->room || bytes > room || !take(word, found, draining->owner, draining->used)))
        return SKYWAY_NOWHERE;
    word[1] = relative;
    draining->free = relative + bytes;
    draining->slots[draining->next] = object;
    if (++draining->next == draining->size)
        draining->next = 0;
    draining->count++;
    return relative;
}

ALWAYS_INLINE uint32_t reach(struct draining *draining, struct hw_skyway_output *stream, hw_ref object)
{
    uint32_t relative = reach_quickly(draining, object);

    return UNLIKELY(relative == SKYWAY_NOWHERE) ? reach_slowly(draining, stream, object) : relative;
}

/* Fields, which end at `limit`; `bits` has a bit for each, from the lowest on, that is a reference. */
ALWAYS_INLINE bool clone_fields(struct draining *draining, struct hw_skyway_output *stream, const uint32_t *from, uint32_t *to, const uint32_t *limit, uint32_t bits)
{
    for (; to < limit; from += 2, to += 2, bits >>= 2) {
        uint32_t first = from[0], second = from[1];

        if (bits & 1 && first && (first = reach(draining, stream, first)) == SKYWAY_NOWHERE)
            return false;
        to[0] = first;
        if (bits & 2 && second && (second = reach(draining, stream, second)) == SKYWAY_NOWHERE)
            return false;
        to[1] = second;
    }
    return true;
}

/* Elements that are values, `bytes` of them, and zeros up to a multiple of 8. */
ALWAYS_INLINE void clone_values(const uint32_t *from, uint32_t *to, uint32_t bytes)
{
    for (; bytes >= 16; bytes -= 16, from += 4, to += 4) {
        uint32_t first = from[0], second = from[1], third = from[2], fourth = from[3];

        to[0] = first, to[1] = second, to[2] = third, to[3] = fourth;
    }
    if (bytes >= 8) {
        uint32_t first = from[0], second = from[1];

        to[0] = first, to[1] = second;
        bytes -= 8, from += 2, to += 2;
    }
    if (bytes == 0)
        return;
    uint32_t mask = (1u << bytes % 4 * 8) - 1;

    to[0] = bytes < 4 ? from[0] & mask : from[0];
    to[1] = bytes > 4 ? from[1] & mask : 0;
}

bool skyway_drain(struct hw_skyway_output *stream)
{
    struct draining draining = {.slots = stream->queue.slots, .size = stream->queue.size, .owner = stream->owner,
                                .used = hw_epoch_oldest_owner(), .bound = stream->bound, .span = stream->span};
    uint32_t types = stream->types;
    bool good = true;

    if (stream->adjusts || !stream->segment)
        return true;
    uint8_t *top = stream->top, *limit = stream->tops - SKYWAY_TAIL;

    load(&draining, stream);
    while (draining.count && good) {
        hw_ref object = draining.slots[draining.first];
        const uint32_t *from = hw_pointer(object);
        const struct hw_klass *klass = hw_klass_of(from);
        uint32_t bytes = klass->object_size, bits = klass->reference_bitmap, type = klass->type_id;
        uint32_t *to = (uint32_t *)(void *)top;

        if (bytes) {
            if (UNLIKELY(type == 0 || (ptrdiff_t)bytes > limit - top || bits & HW_KLASS_LONG_BITMAP))
                break;
            to[0] = skyway_clone_mark(object);
            to[1] = type;
            to[2] = to[3] = 0;
            good = clone_fields(&draining, stream, from + 4, to + 4, (uint32_t *)(void *)(top + bytes), bits >> HW_METADATA_SLOTS);
        } else {
            uint32_t length = from[2], body = length << klass->element_shift;

            bytes = hw_object_round(ELEMENTS + body);
            if (UNLIKELY(type == 0 || (ptrdiff_t)bytes > limit - top))
                break;
            to[0] = skyway_clone_mark(object);
            to[1] = type;
            to[2] = length;
            to[3] = to[4] = to[5] = 0;
            if (klass->kind == HW_KLASS_KIND_OBJECT_ARRAY) {
                /* What pads an odd length is not looked at. */
                to[bytes / 4 - 1] = 0;
                for (uint32_t i = 0; i < length && good; i++) {
                    uint32_t element = from[6 + i];

                    if (element)
                        good = (element = reach(&draining, stream, element)) != SKYWAY_NOWHERE;
                    to[6 + i] = element;
                }
            } else {
                clone_values(from + 6, to + 6, body);
            }
        }
        types = type > types ? type : types;
        top += bytes;
        draining.count--;
        if (++draining.first == draining.size) {
            draining.first = 0;
            stream->queue.wrapped = true;
        }
    }
    stream->top = top;
    stream->types = types;
    store(&draining, stream);
    return good;
}
