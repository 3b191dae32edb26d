#include "skyway/units/assist.h"
#include "skyway/receiver/receiver.h"
#include "skyway/registry/registry.h"
#include "runtime/heap/input.h"
#include "runtime/heap/object.h"

#define CARD_GRANULES (HW_CARD_SHIFT - HW_GRANULE_SHIFT)

/* The values that the pass needs for every object, apart from the stream. The compiler keeps as many as possible in
 * registers. */
struct pass {
    hw_ref run;      /* of the only chunk, if there is one only */
    uint32_t single; /* bytes of that chunk; 0: there are several chunks */
    uint32_t base;   /* the heap's base, from which granules count */
    uint32_t *targets;
    bool metadata;
};

/* Returns the address for a relative address of SKYWAY_FIRST or more, by a search among the chunks, which may not all
 * be full. */
static hw_ref among_chunks(struct hw_skyway_input *stream, uint32_t relative) {
    uint32_t low = 0, high = stream->chunk_count;
    const struct skyway_chunk *chunk = &stream->chunks[stream->last_hit];

    if (relative - chunk->base >= chunk->bytes) {
        while (high - low > 1) {
            uint32_t middle = (low + high) / 2;

            if (relative < stream->chunks[middle].base)
                high = middle;
            else
                low = middle;
        }
        stream->last_hit = low;
        chunk = &stream->chunks[low];
    }
    return chunk->run + (relative - chunk->base);
}

/* Replaces a relative address. The end of the pass checks whether an object begins there. */
ALWAYS_INLINE bool absolutize(const struct pass *pass, struct hw_skyway_input *stream, hw_ref *slot) {
    uint32_t relative = *slot, offset = relative - SKYWAY_FIRST;
    hw_ref target = pass->run + offset;

    if (relative == 0) return true;
    if (UNLIKELY(relative % HW_OBJECT_ALIGNMENT != 0)) return false;
    if (UNLIKELY(offset >= pass->single)) {
        if (offset >= stream->free - SKYWAY_FIRST) return false;
        target = among_chunks(stream, relative);
    }
    *slot = target;
    hw_input_note(pass->targets, (target - pass->base) >> HW_GRANULE_SHIFT);
    return true;
}

ALWAYS_INLINE bool absolutize_bits(const struct pass *pass, struct hw_skyway_input *stream, hw_ref *slot,
                                   uint32_t bits) {
    for (; bits; bits >>= 1, slot++)
        if (bits & 1 && !absolutize(pass, stream, slot)) return false;
    return true;
}

static bool absolutize_long(const struct pass *pass, struct hw_skyway_input *stream, hw_ref *slots,
                            const uint32_t *words) {
    for (uint32_t i = 0; i < words[0]; i++)
        if (!absolutize_bits(pass, stream, slots + 32 * i, words[1 + i])) return false;
    return true;
}

ALWAYS_INLINE bool absolutize_references(const struct pass *pass, struct hw_skyway_input *stream, hw_ref object,
                                         const struct hw_klass *klass, uint32_t length) {
    hw_ref *slots = hw_pointer(object + HW_OBJECT_HEADER_SIZE);
    uint32_t bits = klass->reference_bitmap;

    if (klass->kind == HW_KLASS_KIND_OBJECT_ARRAY) {
        for (hw_ref *element = hw_pointer(object + hw_klass_elements(klass)); length; length--)
            if (!absolutize(pass, stream, element++)) return false;
        return true;
    }
    if (klass->kind == HW_KLASS_KIND_PRIMITIVE_ARRAY) return true;
    if (UNLIKELY(bits & HW_KLASS_LONG_BITMAP)) return absolutize_long(pass, stream, slots, hw_pointer(bits << 1));
    return absolutize_bits(pass, stream, slots, bits);
}

/* Returns whether the words between header, length and body are 0. The receiver's own metadata lie there. */
ALWAYS_INLINE bool blank(const struct pass *pass, const uint32_t *word, bool array) {
    if (!array) return !pass->metadata || (word[2] | word[3]) == 0;
    return pass->metadata ? (word[3] | word[4] | word[5]) == 0 : word[3] == 0;
}

/* Returns the class of a type id, if this machine lays out its objects as the stream does. Returns NULL, with the
 * status, if there is none. */
static const struct hw_klass *resolve(const struct pass *pass, uint32_t id, hw_status *status) {
    const struct hw_klass *klass = skyway_registry_resolve(id, status);

    if (klass && !(klass->flags & HW_KLASS_FLAG_METADATA) == pass->metadata) {
        *status = HW_SKYWAY_OTHER_LAYOUT;
        return NULL;
    }
    return klass;
}

/* Checks and absolutizes any object, of at most `left` bytes. Returns its bytes; 0 if it was rejected. */
static __attribute__((noinline)) uint32_t take_any(const struct pass *pass, struct hw_skyway_input *stream,
                                                   hw_ref object, uint32_t left, uint32_t at) {
    uint32_t *word = hw_pointer(object),
             least = pass->metadata ? HW_OBJECT_HEADER_SIZE + HW_OBJECT_METADATA_SIZE : HW_OBJECT_HEADER_SIZE;
    uint32_t length = 0;
    hw_status status = HW_STATUS_BAD_VALUE;

    if (left < least || (word[0] & SKYWAY_MARK_MASK) != HW_OBJECT_MARK_UNLOCKED)
        return skyway_reject(stream, status, at);
    const struct hw_klass *klass = resolve(pass, word[1], &status);

    if (!klass) return skyway_reject(stream, status, at);
    stream->updates |= skyway_is_updated(klass);
    uint32_t bytes = klass->object_size;

    if (bytes == 0) {
        uint32_t elements = hw_klass_elements(klass);

        if (left < elements || (length = word[2]) > (left - elements) >> klass->element_shift)
            return skyway_reject(stream, HW_STATUS_BAD_VALUE, at);
        bytes = hw_object_round(elements + (length << klass->element_shift));
    }
    if (bytes > left || !blank(pass, word, klass->object_size == 0))
        return skyway_reject(stream, HW_STATUS_BAD_VALUE, at);
    word[1] = hw_reference(klass);
    hw_input_note(hw_space.marks, (object - pass->base) >> HW_GRANULE_SHIFT);
    hw_starts_note(object, bytes);
    return absolutize_references(pass, stream, object, klass, length)
               ? bytes
               : (uint32_t)skyway_reject(stream, HW_STATUS_BAD_REFERENCE, at);
}

/* The fast loop for nearly all objects: they have metadata, their classes are known and not updated, and they are
 * followed by at least the room of an array's header. Stops at the first object that is different or wrong and returns
 * its address. */
static hw_ref take_common(const struct pass *pass, struct hw_skyway_input *stream, const struct skyway_chunk *chunk,
                          hw_ref object, hw_ref limit) {
    uint32_t *objects = hw_space.marks, last_card = UINT32_MAX;
    uint8_t *starts = hw_space.starts;

    while (limit - object >= HW_OBJECT_METADATA_ARRAY_ELEMENTS) {
        uint32_t *word = hw_pointer(object), left = limit - object, length = word[2];
        const struct hw_klass *klass = skyway_registry_klass(word[1]);

        if (UNLIKELY((word[0] & SKYWAY_MARK_MASK) != HW_OBJECT_MARK_UNLOCKED || !klass ||
                     !(klass->flags & HW_KLASS_FLAG_METADATA)))
            return object;
        uint32_t bytes = klass->object_size, bits = klass->reference_bitmap >> HW_METADATA_SLOTS;
        hw_ref *slot = word + 4;

        if (bytes == 0) {
            uint32_t shift = klass->element_shift;

            if (UNLIKELY(length > (left - HW_OBJECT_METADATA_ARRAY_ELEMENTS) >> shift ||
                         (word[3] | word[4] | word[5]) != 0))
                return object;
            bytes = hw_object_round(HW_OBJECT_METADATA_ARRAY_ELEMENTS + (length << shift));
            slot = word + 6;
        } else if (UNLIKELY(bytes > left || (word[2] | word[3]) != 0 || bits >> (31 - HW_METADATA_SLOTS))) {
            return object;
        }
        if (UNLIKELY(bytes > left)) return object;
        uint32_t granule = (object - pass->base) >> HW_GRANULE_SHIFT, card = granule >> CARD_GRANULES;
        uint32_t end = (granule + (bytes >> HW_GRANULE_SHIFT) - 1) >> CARD_GRANULES;

        word[1] = hw_reference(klass);
        hw_input_note(objects, granule);
        /* Notes the first object that begins in a card. */
        if (card != last_card && starts[card] >= HW_START_FAR) starts[card] = granule & ((1u << CARD_GRANULES) - 1);
        last_card = card;
        if (UNLIKELY(end != card)) hw_starts_note_cards(card, end);
        if (bits) {
            if (UNLIKELY(!absolutize_bits(pass, stream, slot, bits))) goto reject;
        } else if (klass->kind == HW_KLASS_KIND_OBJECT_ARRAY) {
            for (; length; length--)
                if (UNLIKELY(!absolutize(pass, stream, slot++))) goto reject;
        }
        object += bytes;
        continue;
    reject:
        skyway_reject(stream, HW_STATUS_BAD_REFERENCE, chunk->base + (object - chunk->run));
        return object;
    }
    return object;
}

static __attribute__((noinline)) bool absolutize_chunk(const struct pass *pass, struct hw_skyway_input *stream,
                                                       const struct skyway_chunk *chunk) {
    const bool common = pass->metadata && !skyway_any_updated();
    hw_ref limit = chunk->run + chunk->bytes;

    for (hw_ref object = chunk->run + stream->absolutized; object < limit;) {
        if (common && (object = take_common(pass, stream, chunk, object, limit)) == limit) break;
        uint32_t bytes = stream->status == HW_STATUS_OK
                             ? take_any(pass, stream, object, limit - object, chunk->base + (object - chunk->run))
                             : 0;

        if (bytes == 0) return false;
        object += bytes;
    }
    return true;
}

ALWAYS_INLINE bool absolutize_tops(const struct pass *pass, struct hw_skyway_input *stream) {
    for (uint32_t i = 0; i < stream->top_count; i++)
        if (!absolutize(pass, stream, &stream->tops[-1 - (int32_t)i]))
            return skyway_reject(stream, HW_STATUS_BAD_REFERENCE, 0);
    return true;
}

/* Completes a buffer whose objects skyway_take_at_once has all absolutized. */
static inline bool finish_at_once(struct hw_skyway_input *stream) {
    const struct skyway_chunk *chunk = &stream->chunks[0];
    const struct pass pass = {
        .run = chunk->run, .single = chunk->bytes, .base = hw_space.base, .targets = hw_space.ranks};
    bool good = absolutize_tops(&pass, stream);
    hw_ref stray = hw_input_stray(chunk->run, chunk->run + chunk->bytes);

    if (UNLIKELY(stray && good))
        good = skyway_reject(stream, HW_STATUS_BAD_REFERENCE, chunk->base + (stray - chunk->run));
    return good;
}

/* The pass by software. If a part of the buffer was taken at once, the pass begins behind that part. */
static __attribute__((noinline)) bool pass_over_chunks(struct hw_skyway_input *stream) {
    struct pass pass = {
        .base = hw_space.base, .targets = hw_space.ranks, .metadata = stream->layout.fields != HW_OBJECT_HEADER_SIZE};
    bool good = true;

    if (stream->chunk_count == 1) {
        pass.run = stream->chunks[0].run;
        pass.single = stream->chunks[0].bytes;
    }
    stream->last_hit = 0;
    for (uint32_t i = 0; i < stream->chunk_count && !stream->absolutized; i++)
        hw_input_begin(stream->chunks[i].run, stream->chunks[i].run + stream->chunks[i].bytes);
    for (uint32_t i = 0; i < stream->chunk_count && good; i++)
        if (stream->absolutized < stream->chunks[i].bytes) good = absolutize_chunk(&pass, stream, &stream->chunks[i]);
    good = good && absolutize_tops(&pass, stream);
    for (uint32_t i = 0; i < stream->chunk_count; i++) {
        const struct skyway_chunk *chunk = &stream->chunks[i];
        hw_ref stray = hw_input_stray(chunk->run, chunk->run + chunk->bytes);

        if (stray && good) good = skyway_reject(stream, HW_STATUS_BAD_REFERENCE, chunk->base + (stray - chunk->run));
    }
    return good;
}

OFTEN bool skyway_absolutize(struct hw_skyway_input *stream) {
    const struct hw_skyway_assist *assist = hw_skyway_assist; /* another thread may change it at any time */
    bool good;

    if (stream->absolutized) {
        if (LIKELY(stream->absolutized == stream->chunks[0].bytes)) return finish_at_once(stream);
    } else if (assist && skyway_absolutize_by_unit(assist, stream, &good)) {
        return good;
    }
    return pass_over_chunks(stream);
}
