/* The fast path for a buffer that arrives as a whole, in one segment, for one chunk. Its objects are checked and
 * absolutized while they are copied to the chunk, so they are read only once. Nothing is rejected here. From the first
 * uncommon object on, the rest is left to the pass over the chunk (absolutize.c); if anything is wrong, the whole
 * buffer is left to that pass. Errors are thus always those of the pass, in its order.
 */
#include <string.h>

#include "skyway/receiver/receiver.h"
#include "skyway/registry/registry.h"
#include "runtime/heap/input.h"
#include "runtime/heap/object.h"

#define FIELDS (HW_OBJECT_METADATA_INSTANCE + HW_OBJECT_METADATA_SIZE)
#define ELEMENTS HW_OBJECT_METADATA_ARRAY_ELEMENTS
#define CARD_GRANULES (HW_CARD_SHIFT - HW_GRANULE_SHIFT)

/* A word of a bitmap, kept in registers because consecutive bits mostly lie in the same word: hw_input_note, a word at
 * a time. */
struct bits {
    uint32_t *word, bits;
};

ALWAYS_INLINE void note(struct bits *bits, uint32_t *table, uint32_t granule) {
    uint32_t *word = &table[granule / 32];

    if (word != bits->word) {
        *bits->word |= bits->bits;
        *bits = (struct bits){.word = word};
    }
    bits->bits |= 1u << granule % 32;
}

ALWAYS_INLINE void copy_eight(uint32_t *to, const uint32_t *from) {
    uint32_t first = from[0], second = from[1];

    to[0] = first, to[1] = second;
}

ALWAYS_INLINE void copy_elements(uint32_t *to, const uint32_t *from, uint32_t bytes) {
    for (; bytes >= 16; bytes -= 16, from += 4, to += 4) {
        uint32_t first = from[0], second = from[1], third = from[2], fourth = from[3];

        to[0] = first, to[1] = second, to[2] = third, to[3] = fourth;
    }
    if (bytes) copy_eight(to, from);
}

/* The chunk: its address and bytes, the bitmap of the targets of its references, and the OR of their relative
 * addresses. */
struct chunk {
    const hw_ref run;
    const uint32_t bytes;
    uint32_t *const targets_of;
    struct bits targets;
    uint32_t addresses;
};

/* Translates a reference of the stream into one of the heap. Returns false if it leads out of the chunk. */
ALWAYS_INLINE bool refer(uint32_t *reference, struct chunk *chunk) {
    uint32_t relative = *reference, offset = relative - SKYWAY_FIRST;

    if (relative == 0) return true;
    if (UNLIKELY(offset >= chunk->bytes)) return false;
    chunk->addresses |= relative;
    *reference = chunk->run + offset;
    note(&chunk->targets, chunk->targets_of, offset >> HW_GRANULE_SHIFT);
    return true;
}

/* Copies two slots. The lowest two bits of `references` tell which of them are references. */
ALWAYS_INLINE bool copy_slots(uint32_t *to, const volatile uint32_t *from, uint32_t references, struct chunk *chunk) {
    uint32_t first = from[0], second = from[1];

    if (references & 3) {
        if (references & 1 && !refer(&first, chunk)) return false;
        if (references & 2 && !refer(&second, chunk)) return false;
    }
    to[0] = first, to[1] = second;
    return true;
}

/* Copies the objects of [from, from + bytes) to `run`. Returns how many bytes of them were taken; 0 if one of these
 * objects is wrong. */
static uint32_t take(const uint32_t *from, hw_ref run, const uint32_t bytes) {
    const uint32_t base = hw_space.base, granules = (run - base) >> HW_GRANULE_SHIFT;
    uint32_t *const starts_of = hw_space.marks + granules / 32, *const targets_of = hw_space.ranks + granules / 32;
    struct chunk chunk = {.run = run, .bytes = bytes, .targets_of = targets_of, .targets = {.word = targets_of}};
    uint8_t *const starts = hw_space.starts + (granules >> CARD_GRANULES);
    const struct skyway_class *const classes = skyway_registry.classes;
    const uint32_t known = skyway_registry.count;
    struct bits objects = {.word = starts_of};
    uint32_t zeros = 0, last_card = UINT32_MAX, left = bytes;
    hw_ref object = run;

    while (left >= ELEMENTS) {
        const volatile uint32_t *word = from; /* another party may write to the source: what is checked is read once */
        uint32_t *to = hw_pointer(object), mark = word[0], number = word[1], slots, size;
        const struct hw_klass *klass = number <= known ? classes[number].klass : NULL;

        if (UNLIKELY(!klass || !(klass->flags & HW_KLASS_FLAG_METADATA))) break;
        size = klass->object_size;
        slots = klass->reference_bitmap;
        zeros |= ((mark & SKYWAY_MARK_MASK) ^ HW_OBJECT_MARK_UNLOCKED) | word[3];
        to[0] = mark;
        to[1] = hw_reference(klass);
        to[3] = 0;
        if (size) {
            if (UNLIKELY(size > left || slots & HW_KLASS_LONG_BITMAP)) break;
            zeros |= word[2];
            to[2] = 0;
            word += FIELDS / 4;
            to += FIELDS / 4;
            const uint32_t *limit = from + size / 4;

            for (slots >>= HW_METADATA_SLOTS; word != limit; word += 2, to += 2, slots >>= 2)
                if (UNLIKELY(!copy_slots(to, word, slots, &chunk))) return 0;
        } else {
            uint32_t length = word[2], shift = klass->element_shift;

            if (UNLIKELY(length > (left - ELEMENTS) >> shift)) break;
            size = hw_object_round(ELEMENTS + (length << shift));
            if (UNLIKELY(size > left)) break;
            zeros |= word[4] | word[5];
            to[2] = length;
            to[4] = to[5] = 0;
            word += ELEMENTS / 4;
            to += ELEMENTS / 4;
            if (klass->kind == HW_KLASS_KIND_OBJECT_ARRAY) {
                for (uint32_t i = 0; i < length; i += 2)
                    if (UNLIKELY(!copy_slots(to + i, word + i, length - i > 1 ? 3 : 1, &chunk))) return 0;
            } else {
                copy_elements(to, (const uint32_t *)word, size - ELEMENTS);
            }
        }
        uint32_t granule = (object - run) >> HW_GRANULE_SHIFT, card = granule >> CARD_GRANULES;

        note(&objects, starts_of, granule);
        /* Notes the first object that begins in a card. */
        if (card != last_card && starts[card] >= HW_START_FAR) starts[card] = granule & ((1u << CARD_GRANULES) - 1);
        last_card = card;
        uint32_t end = (granule + (size >> HW_GRANULE_SHIFT) - 1) >> CARD_GRANULES;

        /* For the next card alone this is not needed: hw_input_begin has set it to "go back one card". */
        if (UNLIKELY(end > card + 1))
            hw_starts_note_cards(card + (granules >> CARD_GRANULES), end + (granules >> CARD_GRANULES));
        from += size / 4;
        object += size;
        left -= size;
    }
    *objects.word |= objects.bits;
    *chunk.targets.word |= chunk.targets.bits;
    return zeros == 0 && chunk.addresses % HW_OBJECT_ALIGNMENT == 0 ? bytes - left : 0;
}

OFTEN bool skyway_is_whole(const struct hw_skyway_input *stream, const uint8_t *at, const uint8_t *limit) {
    const uint32_t bytes = stream->segment.bytes, count = stream->segment.tops, after = skyway_tops_bytes(count);
    uint32_t left = (uint32_t)(limit - at);

    if (stream->chunk_count != 1 || stream->chunks[0].bytes != 0 || stream->top_count != 0 ||
        (uintptr_t)at % sizeof(uint32_t) != 0 || left < bytes || left - bytes < sizeof(struct skyway_segment) ||
        left - bytes - sizeof(struct skyway_segment) < after)
        return false;
    const uint32_t *tops = (const uint32_t *)(const void *)(at + bytes), *end = tops + after / 4;

    return (count % 2 == 0 || tops[count] == 0) && end[0] == SKYWAY_DONE && end[1] == stream->free + bytes &&
           end[2] == count && end[3] <= skyway_registry.count;
}

OFTEN void skyway_take_at_once(struct hw_skyway_input *stream, const uint8_t *at) {
    const uint32_t bytes = stream->segment.bytes;
    const hw_ref run = stream->chunks[0].run;

    if (stream->layout.fields == FIELDS && !skyway_any_updated()) {
        hw_input_begin(run, run + bytes);
        stream->absolutized = take((const uint32_t *)(const void *)at, run, bytes);
        if (stream->absolutized == 0) hw_input_stray(run, run + bytes);
    }
    if (UNLIKELY(stream->absolutized != bytes))
        memcpy(hw_pointer(run + stream->absolutized), at + stream->absolutized, bytes - stream->absolutized);
}
