/* Full collection: marks, then slides every live object that can move to the low end of the heap in the order of
 * addresses, and sweeps the large space.
 *
 * An object's new address follows from the number of marked granules before it (after the Compressor, Kermany and
 * Petrank 2006). Mark words stay as they are, and nothing has to be saved. Objects that do not fit into the old
 * generation stay in eden.
 */
#include "runtime/heap/collect.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/heap/card.h"
#include "runtime/heap/heap.h"

/* The first object that goes to eden, and its rank. If there is none, `split` is the end of the movable spaces. */
static hw_ref split;
static uint32_t split_rank;
static uint32_t total; /* granules marked so far */
static bool metadata_cleared;

/* Calls `pass` for the used part of every space whose objects move, in the order of addresses. */
static void each_movable(void (*pass)(uint32_t start, uint32_t limit)) {
    const struct hw_arena *spaces[] = {&hw_space.old, &hw_space.eden, &hw_space.survivor[0], &hw_space.survivor[1]};

    for (int i = 0; i < 4; i++)
        if (hw_arena_used(spaces[i])) pass(spaces[i]->base, spaces[i]->top);
}

static uint32_t ones(uint32_t word) {
    word -= word >> 1 & 0x55555555;
    word = (word & 0x33333333) + (word >> 2 & 0x33333333);
    word = (word + (word >> 4)) & 0x0f0f0f0f;
    return word * 0x01010101 >> 24;
}

/* Returns the number of marked granules before `address`. */
static uint32_t rank(hw_ref address) {
    uint32_t granule = hw_granule(address);

    return hw_space.ranks[granule / 32] + ones(hw_space.marks[granule / 32] & ((1u << granule % 32) - 1));
}

static hw_ref destination(hw_ref object) {
    return object < split ? hw_space.old.base + (rank(object) << HW_GRANULE_SHIFT)
                          : hw_space.eden.base + ((rank(object) - split_rank) << HW_GRANULE_SHIFT);
}

static void count_marks(uint32_t start, uint32_t limit) {
    for (uint32_t word = hw_granule(start) / 32; word <= hw_granule(limit - 1) / 32; word++) {
        uint32_t marks = hw_space.marks[word];

        hw_space.ranks[word] = total;
        if (marks) total += ones(marks);
    }
}

static void find_split(uint32_t start, uint32_t limit) {
    for (hw_ref object = hw_mark_next(start, limit), end; object < limit && object < split;
         object = hw_mark_next(end, limit)) {
        end = object + hw_object_bytes(hw_pointer(object));
        if (hw_space.old.base + (rank(object) << HW_GRANULE_SHIFT) + (end - object) > hw_space.old.limit) {
            split = object;
            split_rank = rank(object);
        }
    }
}

/* Checks, before anything moves, that eden can hold what the old generation cannot. It always can: before the last
 * young collection the old generation had room for all of eden and of the survivor space and for one more object, so
 * the survivors of that collection still fit there. The one more object makes up for the hole that is left if the last
 * object does not fit. */
static void check_eden(void) {
    uint32_t bytes = (total - split_rank) << HW_GRANULE_SHIFT, room = hw_space.eden.limit - hw_space.eden.base;

    if (bytes <= room) return;
    fputs("# heap: a full collection leaves more than eden holds\n", stdout); /* printf is too large for this */
    fflush(stdout);
    abort();
}

static void plan(void) {
    total = 0;
    each_movable(count_marks);
    split = hw_space.large.base;
    split_rank = total;
    if (total << HW_GRANULE_SHIFT > hw_space.old.limit - hw_space.old.base) each_movable(find_split);
    check_eden();
}

/* Not inlined, since a reference is looked up in five places. */
static __attribute__((noinline)) uint32_t redirected(uint32_t reference) {
    return reference - hw_space.base < hw_space.large.base - hw_space.base ? destination(reference) : reference;
}

static void redirect(hw_ref *slot, void *context) {
    (void)context;
    *slot = redirected(*slot);
}

static void clear_metadata(void *object) {
    const struct hw_klass *klass = hw_klass_of(object);

    if (klass->flags & HW_KLASS_FLAG_METADATA)
        memset((char *)object + (klass->object_size ? HW_OBJECT_METADATA_INSTANCE : HW_OBJECT_METADATA_ARRAY), 0,
               HW_OBJECT_METADATA_SIZE);
}

/* For objects that do not move. */
static void redirect_live(uint32_t start, uint32_t limit) {
    for (hw_ref object = hw_mark_next(start, limit), end; object < limit; object = hw_mark_next(end, limit)) {
        end = object + hw_object_bytes(hw_pointer(object));
        hw_visit_object(hw_pointer(object), redirect, NULL);
        if (metadata_cleared) clear_metadata(hw_pointer(object));
    }
}

/* Moves an object down, or leaves it where it is. Its references go to where the objects will be. */
static void move(uint32_t *to, const uint32_t *from, uint32_t bytes, const struct hw_klass *klass) {
    uint32_t bits = klass->reference_bitmap, header = HW_OBJECT_HEADER_SIZE / 4, *end = to + bytes / 4;
    const struct hw_array *array = (const struct hw_array *)from;

    if (klass->kind == HW_KLASS_KIND_OBJECT_ARRAY) {
        uint32_t *elements = to + hw_klass_elements(klass) / 4, *last = elements + array->length;

        for (; to < elements; to++) *to = *from++;
        for (; to < last; to++) *to = redirected(*from++);
        for (; to < end; to++) *to = *from++;
    } else if (bits & HW_KLASS_LONG_BITMAP) {
        const uint32_t *words = hw_pointer(bits << 1);

        for (uint32_t i = 0; to < end; i++, to++, from++) {
            bool reference =
                i >= header && (i - header) / 32 < words[0] && words[1 + (i - header) / 32] >> (i - header) % 32 & 1;

            *to = reference ? redirected(*from) : *from;
        }
    } else {
        to[0] = from[0];
        to[1] = from[1];
        for (to += header, from += header; bits; bits >>= 2, to += 2, from += 2) {
            uint32_t one = from[0], other = from[1];

            to[0] = bits & 1 ? redirected(one) : one;
            to[1] = bits & 2 ? redirected(other) : other;
        }
        if (to != from) hw_copy_words(to, from, end);
    }
}

static uint32_t old_top, eden_top;

static void slide(uint32_t start, uint32_t limit) {
    for (hw_ref object = hw_mark_next(start, limit), end; object < limit; object = hw_mark_next(end, limit)) {
        uint32_t bytes = hw_object_bytes(hw_pointer(object));
        uint32_t *top = object < split ? &old_top : &eden_top;

        end = object + bytes;
        move(hw_pointer(*top), hw_pointer(object), bytes, hw_klass_of(hw_pointer(object)));
        if (metadata_cleared) clear_metadata(hw_pointer(*top));
        if (top == &old_top) hw_starts_note(*top, bytes);
        *top += bytes;
    }
}

static void clear_marks(uint32_t start, uint32_t limit) {
    uint32_t first = hw_granule(start) / 32;

    memset(hw_space.marks + first, 0, (hw_granule(limit - 1) / 32 - first + 1) * sizeof *hw_space.marks);
}

static void clean_cards(uint32_t start, uint32_t limit) { hw_cards_set(start, limit, HW_CARD_CLEAN); }

void hw_compact(bool clears_metadata) {
    metadata_cleared = clears_metadata;
    hw_mark_live();
    plan();
    hw_roots_visit(redirect, NULL);
    hw_large_visit(redirect_live);

    hw_memory_allow(hw_space.old.top, hw_space.old.limit);
    hw_memory_allow(hw_space.eden.top, hw_space.eden.limit);
    old_top = hw_space.old.base;
    eden_top = hw_space.eden.base;
    hw_starts_clear(hw_space.old.base, hw_space.old.top);
    each_movable(slide);
    hw_large_sweep();
    each_movable(clear_marks);
    clear_marks(hw_space.large.base, hw_space.limit);
    hw_space.old.top = old_top;
    hw_space.eden.top = eden_top;

    hw_arena_reset(&hw_space.survivor[0]);
    hw_arena_reset(&hw_space.survivor[1]);
    hw_poison(hw_space.old.top, hw_space.old.limit);
    hw_poison(hw_space.eden.top, hw_space.large.base);
    /* Any object may refer to those left in eden. Otherwise nothing is young and all cards are clean. Large objects
     * have not moved and no old object has become young, so the dirty cards of the large space are still right. */
    if (hw_arena_used(&hw_space.eden)) {
        hw_cards_set(hw_space.old.base, hw_space.old.limit, HW_CARD_DIRTY);
    } else {
        clean_cards(hw_space.old.base, hw_space.old.limit);
        hw_large_visit(clean_cards);
    }
    hw_heap_statistics.live_bytes = hw_arena_used(&hw_space.old) + hw_arena_used(&hw_space.eden) + hw_large_used();
}
