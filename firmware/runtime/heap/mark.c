#include "runtime/heap/collect.h"

#include "runtime/compiler.h"
#include "runtime/heap/heap.h"

static uint32_t depth;
static bool overflow;

static COLD_CALL void set_bits(uint32_t granule, uint32_t count) {
    uint32_t *word = &hw_space.marks[granule / 32];
    uint32_t bit = granule % 32;

    while (count) {
        uint32_t here = 32 - bit < count ? 32 - bit : count;

        *word++ |= (here == 32 ? ~0u : (1u << here) - 1) << bit;
        count -= here;
        bit = 0;
    }
}

static void mark(hw_ref *slot, void *context) {
    hw_ref object = *slot;

    (void)context;
    if (!hw_in_heap(object)) return;
    uint32_t granule = hw_granule(object), bit = granule % 32, *word = &hw_space.marks[granule / 32], marks = *word;

    if (marks >> bit & 1) return;
    uint32_t count = hw_object_bytes(hw_pointer(object)) >> HW_GRANULE_SHIFT;

    if (LIKELY(bit + count < 32))
        *word = marks | ((1u << count) - 1) << bit;
    else
        set_bits(granule, count);
    if (depth < hw_space.stack_size)
        hw_space.stack[depth++] = object;
    else
        overflow = true;
}

static void drain(void) {
    while (depth) hw_visit_object(hw_pointer(hw_space.stack[--depth]), mark, NULL);
}

/* Every object of an input buffer that is not freed is live. */
static void mark_all(uint32_t start, uint32_t limit) {
    for (hw_ref object = start; object < limit; object += hw_object_bytes(hw_pointer(object))) {
        mark(&object, NULL);
        drain();
    }
}

void hw_mark_live(void) {
    depth = 0;
    overflow = false;
    hw_roots_visit(mark, NULL);
    drain();
    hw_large_visit_held(mark_all);
    while (overflow) {
        overflow = false;
        for (hw_ref object = hw_mark_next(hw_space.base, hw_space.limit); object < hw_space.limit;
             object = hw_mark_next(object + hw_object_bytes(hw_pointer(object)), hw_space.limit)) {
            hw_space.stack[depth++] = object; /* the stack is empty here */
            drain();
        }
    }
}

hw_ref hw_mark_next(uint32_t start, uint32_t limit) {
    if (start >= limit) return limit;
    uint32_t granule = hw_granule(start);
    uint32_t last = hw_granule(limit - HW_OBJECT_ALIGNMENT);
    uint32_t word = hw_space.marks[granule / 32] >> granule % 32;

    if (word == 0) {
        uint32_t index = granule / 32;

        do
            if (++index > last / 32) return limit;
        while ((word = hw_space.marks[index]) == 0);
        granule = index * 32;
    }
    if (!(word & 1))
        for (uint32_t bits = 16; bits; bits /= 2)
            if (!(word & ((1u << bits) - 1))) {
                word >>= bits;
                granule += bits;
            }
    return granule > last ? limit : hw_space.base + (granule << HW_GRANULE_SHIFT);
}
