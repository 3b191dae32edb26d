/* The way that nearly all objects take into the output buffer: this runtime's layout, a class that has its number, room in the segment, and no other owner.
 *
 * An object is cloned when it is reached, as long as nothing waits for want of room: its number is its place. So it is looked at once, and only those that refer to
 * others are looked at again; until then the ring of the queue has them, from its first slot on. When an object does not fit, it and those that are reached behind it
 * wait in the ring, behind what is noted there, and are cloned when it is their turn. Anything else is the slow way's (reach.c, output.c), which begins where this
 * one ends. What the loop needs of the stream is in registers meanwhile, and there is one loop for everything, as code counts where a buffer is small.
 */
#include "skyway/phase.h"
#include "skyway/sender/sender.h"
#include "runtime/compiler.h"
#include "runtime/critical.h"
#include "runtime/heap/epoch.h"

#define FIELDS (HW_OBJECT_METADATA_INSTANCE + HW_OBJECT_METADATA_SIZE)
#define ELEMENTS HW_OBJECT_METADATA_ARRAY_ELEMENTS

/* `bytes` bytes as they are, and zeros up to a multiple of 8. */
ALWAYS_INLINE void clone_elements(const uint32_t *from, uint32_t *to, uint32_t bytes)
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
    uint32_t first = from[0], mask = (1u << bytes % 4 * 8) - 1;

    to[0] = bytes < 4 ? first & mask : first;
    to[1] = bytes > 4 ? from[1] & mask : 0;
}

/* Owner words below are nobody's. 0: what has no number takes the slow way, as a unit has numbered objects that software has not met yet, something is in the table of
 * shared objects, or numbers may come to their end. If the phase has ended meanwhile others may have words that are above this stream's own. */
static uint32_t unused_below(const struct hw_skyway_output *stream)
{
    uint32_t oldest = hw_epoch_oldest_owner();

    if (stream->again || stream->shared.count || stream->free > SKYWAY_LIMIT - stream->span)
        return 0;
    return oldest < stream->owner ? oldest : stream->owner;
}

/* From now on objects wait in the ring, behind those that are noted in it. */
static __attribute__((noinline)) void wait_behind(struct skyway_queue *queue, const hw_ref *noted)
{
    queue->first = queue->held = (uint32_t)(noted - queue->slots);
}

OFTEN uint32_t skyway_drain(struct hw_skyway_output *stream, hw_ref root)
{
    struct skyway_queue *queue = &stream->queue;
    /* Where an instance without fields may begin at last, and how far behind the beginning of the heap. */
    const uint32_t owner = stream->owner, reach = stream->span - FIELDS, last = stream->bound + reach;
    uint32_t used = unused_below(stream), free = stream->free, types = stream->types, answer = 0;
    bool alone = queue->count == 0 && queue->beyond == 0; /* nothing waits but what is noted */
    const uintptr_t origin = (uintptr_t)stream->segment + sizeof(struct skyway_segment) - stream->base;
    hw_ref *next = queue->slots, *end = next, *const full = next + queue->size; /* what is noted */
    uint8_t *top = stream->top, *limit = alone ? stream->tops - SKYWAY_TAIL : top; /* of what is cloned when it is reached */
    /* Slots of an object that was cloned, which are still as they are there: from `from` on, as long as there are `bits`, of which the lowest tells whether the next one
     * is a reference; what is at `from` goes to `from + clone`. Behind these come `left` more that are, of an array. */
    const hw_ref *from = &root;
    uintptr_t clone = (uintptr_t)&answer - (uintptr_t)&root;
    uint32_t bits = root != 0, left = 0;

    for (;;) {
        const struct hw_klass *klass;
        uint32_t bytes, length = 0, tag, references, *to;
        hw_ref object;

        if (bits == 0) {
            if (left) {
                uint32_t part = left < 31 ? left : 31;

                bits = (1u << part) - 1;
                left -= part;
                continue;
            }
            if (next != end) {
                object = *next++;
                from = hw_pointer(object + FIELDS);
                bits = hw_klass_of(hw_pointer(object))->reference_bitmap >> HW_METADATA_SLOTS;
                const volatile uint32_t *place = bits ? from - 1 : from;

                clone = origin - (uintptr_t)from + *place + FIELDS;
                /* The address before its owner: if that is still this stream, the address is, too. Others have taken both if the phase has ended meanwhile. */
                if (UNLIKELY(place[-1] != owner)) {
                    skyway_refuse(stream, HW_SKYWAY_NO_PHASE, 0);
                    break;
                }
                if (bits)
                    continue;
                from += (ELEMENTS - FIELDS) / 4;
                left = hw_array_length(object);
                continue;
            }
            queue->held = 0;
            if (alone || queue->count == 0)
                break;
            object = queue->slots[queue->first];
            klass = hw_klass_of(hw_pointer(object));
            tag = hw_klass_tag(klass);
            references = klass->reference_bitmap;
            length = skyway_length(klass, object);
            bytes = hw_klass_bytes(klass, length);
            if (UNLIKELY(tag >> HW_KLASS_TYPE_ID_BIT == 0 || (ptrdiff_t)bytes > stream->tops - SKYWAY_TAIL - top || references & HW_KLASS_LONG_BITMAP))
                break;
            skyway_dequeue(queue);
            next = end = queue->slots;
            alone = queue->count == 0 && queue->beyond == 0;
            limit = alone ? stream->tops - SKYWAY_TAIL : top + bytes;
            goto clone;
        }
        for (; !(bits & 3); bits >>= 2)
            from += 2;
        if (!(bits & 1))
            bits >>= 1, from++;
        to = (uint32_t *)((uintptr_t)from + clone);
        object = *from++;
        bits >>= 1;
        if (object == 0) {
            *to = 0;
            continue;
        }
        uint32_t room = last - object;

        if (UNLIKELY(object % HW_OBJECT_ALIGNMENT != 0 || room > reach))
            goto slowly;
        klass = hw_klass_of(hw_pointer(object));
        bytes = klass->object_size;
        tag = hw_klass_tag(klass);
        references = klass->reference_bitmap;
        if (UNLIKELY(!(tag & HW_KLASS_FLAG_METADATA) || tag >> HW_KLASS_TYPE_ID_BIT == 0))
            goto slowly;
        uint32_t *word = hw_pointer(object + HW_OBJECT_METADATA_INSTANCE);

        if (bytes == 0) {
            uint32_t shift = klass->element_shift;

            length = hw_array_length(object);
            if (UNLIKELY(room < ELEMENTS - FIELDS || length > (room - (ELEMENTS - FIELDS)) >> shift))
                goto slowly;
            bytes = hw_object_round(ELEMENTS + (length << shift));
            word++;
        }
        if (UNLIKELY(bytes - FIELDS > room))
            goto slowly;
        /* hw_epoch_swap. */
        hw_critical_enter_first();
        uint32_t found = *(volatile uint32_t *)word;

        if (found >= used) {
            hw_critical_leave_last();
            if (found != owner)
                goto slowly;
            uint32_t relative = *to = word[1];

            if (relative != stream->again)
                continue;
            /* A unit has numbered it: it has not been met before. */
            stream->again = relative + bytes == free ? 0 : relative + bytes;
            if (stream->again == 0) {
                stream->free = free;
                used = unused_below(stream);
            }
        } else {
            word[0] = owner;
            word[1] = free;
            hw_critical_leave_last();
            *to = free;
            free += bytes;
        }
        if (UNLIKELY((ptrdiff_t)bytes > limit - top || references & HW_KLASS_LONG_BITMAP)) {
            if (alone)
                wait_behind(queue, end);
            alone = false;
            limit = top;
            skyway_enqueue(stream, object, *to);
            /* Then those that a unit has numbered are found by their marks, too. */
            if (queue->beyond && stream->again)
                stream->again = 0, stream->free = free, used = unused_below(stream);
            continue;
        }
    clone:;
        const uint32_t *body = hw_pointer(object);

        to = (uint32_t *)(void *)top;
        top += bytes;
        tag >>= HW_KLASS_TYPE_ID_BIT;
        types = tag > types ? tag : types;
        to[0] = (body[0] & ~SKYWAY_MARK_MASK) | HW_OBJECT_MARK_UNLOCKED;
        to[1] = tag;
        to[3] = 0;
        if (klass->object_size) {
            to[2] = 0;
            for (to += FIELDS / 4, body += FIELDS / 4; to != (uint32_t *)(void *)top; body += 2, to += 2) {
                uint32_t first = body[0], second = body[1];

                to[0] = first, to[1] = second;
            }
        } else {
            to[2] = length;
            to[4] = to[5] = 0;
            if (klass->kind == HW_KLASS_KIND_OBJECT_ARRAY) {
                ((uint32_t *)(void *)top)[-1] = 0; /* what pads an odd length is not looked at */
                references = length;
            } else {
                clone_elements(body + ELEMENTS / 4, to + ELEMENTS / 4, length << klass->element_shift);
            }
        }
        if (references == 0)
            continue;
        if (bits || left || next != end) {
            *end++ = object;
            if (UNLIKELY(end == full))
                limit = top;
            continue;
        }
        /* It is the next one. What waited may have its relative address elsewhere (reach.c). */
        clone = (uintptr_t)top - bytes - (uintptr_t)hw_pointer(object);
        from = hw_pointer(object + (klass->object_size ? FIELDS : ELEMENTS));
        if (klass->object_size)
            bits = references >> HW_METADATA_SLOTS;
        else
            left = length;
        continue;
    slowly:
        if (alone)
            wait_behind(queue, end);
        stream->free = free;
        if ((*to = skyway_reach(stream, object)) == SKYWAY_NOWHERE)
            return SKYWAY_NOWHERE;
        free = stream->free;
        used = unused_below(stream);
        if (queue->count || queue->beyond) {
            alone = false;
            limit = top;
        }
    }
    if (alone)
        queue->first = 0;
    stream->free = free;
    stream->top = top;
    stream->types = types;
    return answer;
}
