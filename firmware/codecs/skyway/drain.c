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
    uint32_t again;                          /* the stream's, where there is any */
};

ALWAYS_INLINE void load(struct draining *draining, const struct hw_skyway_output *stream, const bool again)
{
    const struct skyway_queue *queue = &stream->queue;
    uint32_t next = queue->first + queue->count;

    draining->first = queue->first;
    draining->count = queue->count;
    draining->next = next < queue->size ? next : next - queue->size;
    draining->free = stream->free;
    if (again)
        draining->again = stream->again;
    /* Whatever is reached now is not more than the heap: it has a relative address. */
    draining->room = queue->beyond == 0 && stream->shared.count == 0 && stream->free <= SKYWAY_LIMIT - stream->span ? queue->size : 0;
}

ALWAYS_INLINE void store(const struct draining *draining, struct hw_skyway_output *stream, const bool again)
{
    stream->queue.first = draining->first;
    stream->queue.count = draining->count;
    stream->free = draining->free;
    if (again)
        stream->again = draining->again;
}

ALWAYS_INLINE uint32_t reach_slowly(struct draining *draining, struct hw_skyway_output *stream, hw_ref object, const bool again)
{
    store(draining, stream, again);
    uint32_t relative = skyway_reach(stream, object);

    load(draining, stream, again);
    return relative;
}

/* The owner word is this stream's now, and the address behind it. False: somebody may want it still. */
ALWAYS_INLINE bool take(uint32_t *word, uint32_t found, uint32_t owner, uint32_t used, uint32_t relative)
{
    do
        if (UNLIKELY(found >= used))
            return false;
    while (UNLIKELY(!hw_epoch_swap(word, &found, owner, relative)));
    return true;
}

ALWAYS_INLINE void wait_behind(struct draining *draining, hw_ref object)
{
    draining->slots[draining->next] = object;
    if (++draining->next == draining->size)
        draining->next = 0;
    draining->count++;
}

/* skyway_reach: SKYWAY_NOWHERE if that has to do it. A class that has its number is of a kind that can be sent. `again`: a unit has numbered
 * objects that wait when they are reached. */
ALWAYS_INLINE uint32_t reach_quickly(struct draining *draining, hw_ref object, const bool again)
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

    if (found == draining->owner && !(again && word[1] == draining->again))
        return word[1];
    if (bytes == 0) {
        uint32_t length = hw_array_length(object), shift = klass->element_shift;

        if (UNLIKELY(length > (room - ELEMENTS) >> shift))
            return SKYWAY_NOWHERE;
        bytes = hw_object_round(ELEMENTS + (length << shift));
    }
    if (UNLIKELY(draining->count >= draining->room || bytes > room))
        return SKYWAY_NOWHERE;
    if (again && draining->again) {
        if (UNLIKELY(found != draining->owner))
            return SKYWAY_NOWHERE;
        relative = draining->again;
        draining->again = relative + bytes == draining->free ? 0 : relative + bytes;
    } else {
        if (UNLIKELY(!take(word, found, draining->owner, draining->used, relative)))
            return SKYWAY_NOWHERE;
        draining->free = relative + bytes;
    }
    wait_behind(draining, object);
    return relative;
}

ALWAYS_INLINE uint32_t reach(struct draining *draining, struct hw_skyway_output *stream, hw_ref object, const bool again)
{
    uint32_t relative = reach_quickly(draining, object, again);

    return UNLIKELY(relative == SKYWAY_NOWHERE) ? reach_slowly(draining, stream, object, again) : relative;
}

/* Words up to `limit`; `bits` has a bit for each, from the lowest on, that is a reference, and the highest one goes on for all that follow: of an array all are.
 * One loop for both, as code counts where a buffer is small: it does not fit into the instruction cache. */
ALWAYS_INLINE bool clone_words(struct draining *draining, struct hw_skyway_output *stream, const uint32_t *from, uint32_t *to, const uint32_t *limit, int32_t bits,
                               const bool again)
{
    for (; to < limit; from++, to++, bits >>= 1) {
        uint32_t word = *from;

        if (bits & 1 && word && (word = reach(draining, stream, word, again)) == SKYWAY_NOWHERE)
            return false;
        *to = word;
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

/* `again`: as long as there are objects of that kind. */
ALWAYS_INLINE bool drain(struct hw_skyway_output *stream, const bool again)
{
    /* If the phase has ended meanwhile others may have words that are above this stream's own. */
    uint32_t oldest = hw_epoch_oldest_owner();
    struct draining draining = {.slots = stream->queue.slots, .size = stream->queue.size, .owner = stream->owner,
                                .used = oldest < stream->owner ? oldest : stream->owner, .bound = stream->bound, .span = stream->span};
    uint32_t types = stream->types;
    bool good = true;

    uint8_t *top = stream->top, *limit = stream->tops - SKYWAY_TAIL;

    load(&draining, stream, again);
    while (draining.count && good && (!again || draining.again)) {
        hw_ref object = draining.slots[draining.first];
        const uint32_t *from = hw_pointer(object);
        const struct hw_klass *klass = hw_klass_of(from);
        uint32_t bytes = klass->object_size, bits = klass->reference_bitmap, type = klass->type_id;
        uint32_t *to = (uint32_t *)(void *)top, *end;

        if (bytes) {
            if (UNLIKELY(type == 0 || (ptrdiff_t)bytes > limit - top || bits & HW_KLASS_LONG_BITMAP))
                break;
            to[0] = skyway_clone_mark(object);
            to[1] = type;
            to[2] = to[3] = 0;
            from += 4;
            to += 4;
            end = (uint32_t *)(void *)(top + bytes);
            bits >>= HW_METADATA_SLOTS;
        } else {
            uint32_t length = from[2], body = length << klass->element_shift;

            bytes = hw_object_round(ELEMENTS + body);
            if (UNLIKELY(type == 0 || (ptrdiff_t)bytes > limit - top))
                break;
            to[0] = skyway_clone_mark(object);
            to[1] = type;
            to[2] = length;
            to[3] = to[4] = to[5] = 0;
            from += 6;
            end = to + 6 + length;
            if (klass->kind == HW_KLASS_KIND_OBJECT_ARRAY) {
                /* What pads an odd length is not looked at. */
                to[bytes / 4 - 1] = 0;
                to += 6;
                bits = UINT32_MAX;
            } else {
                clone_values(from, to + 6, body);
                end = to;
            }
        }
        good = clone_words(&draining, stream, from, to, end, (int32_t)bits, again);
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
    store(&draining, stream, again);
    return good;
}

static __attribute__((noinline)) bool drain_again(struct hw_skyway_output *stream)
{
    return drain(stream, true);
}

static __attribute__((noinline)) bool drain_new(struct hw_skyway_output *stream)
{
    return drain(stream, false);
}

bool skyway_drain(struct hw_skyway_output *stream)
{
    if (UNLIKELY(stream->again != 0)) {
        bool good = drain_again(stream);

        if (!good || stream->again)
            return good;
    }
    return drain_new(stream);
}
