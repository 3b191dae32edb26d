/* The fast path of nearly all objects into the output buffer: this runtime's layout, a class that has its type id, room
 * in the segment, and no other owner.
 *
 * An object is cloned as soon as it is reached, as long as no object waits for room: its number is its place. Thus each
 * object is read only once, and only those with references are visited a second time. Until then they are noted in the
 * queue's ring, from its first slot on. When an object does not fit, it and the objects reached after it wait in the
 * ring, behind the noted ones, and are cloned when their turn comes. The slow path (reach.c, output.c) handles
 * everything else and continues where this one stops. The values that the loop needs of the stream are kept in
 * registers. There is one loop for everything, because the size of the code matters for small buffers.
 */
#include "skyway/phase.h"
#include "skyway/sender/sender.h"

#define FIELDS (HW_OBJECT_METADATA_INSTANCE + HW_OBJECT_METADATA_SIZE)
#define ELEMENTS HW_OBJECT_METADATA_ARRAY_ELEMENTS

/* Copies `bytes` bytes, and fills up with zeros to a multiple of 8. */
ALWAYS_INLINE void clone_elements(const uint32_t *from, uint32_t *to, uint32_t bytes) {
    for (; bytes >= 16; bytes -= 16, from += 4, to += 4) {
        uint32_t first = from[0], second = from[1], third = from[2], fourth = from[3];

        to[0] = first, to[1] = second, to[2] = third, to[3] = fourth;
    }
    if (bytes >= 8) {
        uint32_t first = from[0], second = from[1];

        to[0] = first, to[1] = second;
        bytes -= 8, from += 2, to += 2;
    }
    if (bytes == 0) return;
    uint32_t first = from[0], mask = (1u << bytes % 4 * 8) - 1;

    to[0] = bytes < 4 ? first & mask : first;
    to[1] = bytes > 4 ? from[1] & mask : 0;
}

/* Returns the bound below which owner words count for no one. It is 0 if all objects without a number must take the
 * slow path: a unit has numbered objects that software has not met yet, the table of shared objects is not empty, or
 * numbers may run out. If the phase has ended meanwhile, others may have owner words above this stream's own, so that
 * is the upper limit of the bound. */
static uint32_t unused_below(const struct hw_skyway_output *stream) {
    uint32_t oldest = hw_epoch_oldest_owner();

    if (stream->again || stream->shared.count || stream->free > SKYWAY_LIMIT - stream->span) return 0;
    return oldest < stream->owner ? oldest : stream->owner;
}

/* From now on objects wait in the ring, behind the noted ones. */
static __attribute__((noinline)) void wait_behind(struct skyway_queue *queue, const hw_ref *noted) {
    queue->first = queue->held = (uint32_t)(noted - queue->slots);
}

OFTEN uint32_t skyway_drain(struct hw_skyway_output *stream, hw_ref root) {
    struct skyway_queue *queue = &stream->queue;
    /* `last`: the highest address at which an instance without fields may begin; `reach`: its distance from the
     * beginning of the heap. */
    const uint32_t owner = stream->owner, reach = stream->span - FIELDS, last = stream->bound + reach;
    uint32_t used = unused_below(stream), free = stream->free, types = stream->types, answer = 0;
    bool alone = queue->count == 0 && queue->beyond == 0; /* nothing waits but the noted objects */
    const uintptr_t origin = (uintptr_t)stream->segment + sizeof(struct skyway_segment) - stream->base;
    hw_ref *next = queue->slots, *end = next, *const full = next + queue->size; /* the noted objects are [next, end) */
    /* of the objects that are cloned as soon as they are reached */
    uint8_t *top = stream->top, *limit = alone ? stream->tops - SKYWAY_TAIL : top;
    /* The slots of a cloned object that still hold the object's own references. `from` is the next slot. While `bits`
     * is not 0, its lowest bit tells whether that slot is a reference. The clone of a slot is at `from + clone`. For an
     * array, `left` more references follow. */
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
                /* Reads the address before its owner word: if the owner is still this stream, the address is valid,
                 * too. If the phase has ended meanwhile, others may have taken both. */
                if (UNLIKELY(place[-1] != owner)) {
                    skyway_refuse(stream, HW_SKYWAY_NO_PHASE, 0);
                    break;
                }
                if (bits) continue;
                from += (ELEMENTS - FIELDS) / 4;
                left = hw_array_length(object);
                continue;
            }
            queue->held = 0;
            if (alone || queue->count == 0) break;
            object = queue->slots[queue->first];
            klass = hw_klass_of(hw_pointer(object));
            tag = hw_klass_tag(klass);
            references = klass->reference_bitmap;
            length = skyway_length(klass, object);
            bytes = hw_klass_bytes(klass, length);
            if (UNLIKELY(tag >> HW_KLASS_TYPE_ID_BIT == 0 || (ptrdiff_t)bytes > stream->tops - SKYWAY_TAIL - top ||
                         references & HW_KLASS_LONG_BITMAP))
                break;
            skyway_dequeue(queue);
            next = end = queue->slots;
            alone = queue->count == 0 && queue->beyond == 0;
            limit = alone ? stream->tops - SKYWAY_TAIL : top + bytes;
            goto clone;
        }
        for (; !(bits & 3); bits >>= 2) from += 2;
        if (!(bits & 1)) bits >>= 1, from++;
        to = (uint32_t *)((uintptr_t)from + clone);
        object = *from++;
        bits >>= 1;
        if (object == 0) {
            *to = 0;
            continue;
        }
        uint32_t room = last - object;

        if (UNLIKELY(object % HW_OBJECT_ALIGNMENT != 0 || room > reach)) goto slowly;
        klass = hw_klass_of(hw_pointer(object));
        bytes = klass->object_size;
        tag = hw_klass_tag(klass);
        references = klass->reference_bitmap;
        if (UNLIKELY(!(tag & HW_KLASS_FLAG_METADATA) || tag >> HW_KLASS_TYPE_ID_BIT == 0)) goto slowly;
        uint32_t *word = hw_pointer(object + HW_OBJECT_METADATA_INSTANCE);

        if (bytes == 0) {
            uint32_t shift = klass->element_shift;

            length = hw_array_length(object);
            if (UNLIKELY(room < ELEMENTS - FIELDS || length > (room - (ELEMENTS - FIELDS)) >> shift)) goto slowly;
            bytes = hw_object_round(ELEMENTS + (length << shift));
            word++;
        }
        if (UNLIKELY(bytes - FIELDS > room)) goto slowly;
        /* hw_epoch_swap, inlined. */
        hw_critical_enter_first();
        uint32_t found = *(volatile uint32_t *)word;

        if (found >= used) {
            hw_critical_leave_last();
            if (found != owner) goto slowly;
            uint32_t relative = *to = word[1];

            if (relative != stream->again) continue;
            /* A unit has numbered the object, but software meets it for the first time. */
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
            if (alone) wait_behind(queue, end);
            alone = false;
            limit = top;
            skyway_enqueue(stream, object, *to);
            /* From here on the objects that a unit has numbered are found by their owner words, too. */
            if (queue->beyond && stream->again) stream->again = 0, stream->free = free, used = unused_below(stream);
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
                ((uint32_t *)(void *)top)[-1] = 0; /* the padding after an odd length */
                references = length;
            } else {
                clone_elements(body + ELEMENTS / 4, to + ELEMENTS / 4, length << klass->element_shift);
            }
        }
        if (references == 0) continue;
        if (bits || left || next != end) {
            *end++ = object;
            if (UNLIKELY(end == full)) limit = top;
            continue;
        }
        /* The object's slots come next. The clone's place follows from `top`, because the relative address of an object
         * that waited may be elsewhere (reach.c). */
        clone = (uintptr_t)top - bytes - (uintptr_t)hw_pointer(object);
        from = hw_pointer(object + (klass->object_size ? FIELDS : ELEMENTS));
        if (klass->object_size)
            bits = references >> HW_METADATA_SLOTS;
        else
            left = length;
        continue;
    slowly:
        if (alone) wait_behind(queue, end);
        stream->free = free;
        if ((*to = skyway_reach(stream, object)) == SKYWAY_NOWHERE) return SKYWAY_NOWHERE;
        free = stream->free;
        used = unused_below(stream);
        if (queue->count || queue->beyond) {
            alone = false;
            limit = top;
        }
    }
    if (alone) queue->first = 0;
    stream->free = free;
    stream->top = top;
    stream->types = types;
    return answer;
}
