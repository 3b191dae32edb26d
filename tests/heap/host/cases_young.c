/* Cases of young collections: the stack, and cards while objects are promoted; and of the arenas in eden. */
#include "cases.h"
#include "runtime/heap/adopt.h"
#include "runtime/heap/card.h"
#include "runtime/heap/collect.h"

static hw_handle leaf(void) { return hw_new(&kinds[LEAF]); }

/* An object is promoted to the card where the old generation ends, before that card is visited. */
CASE(promoted_before_its_card_is_visited) {
    options.tenure = 1;
    init();
    leaf();
    hw_collect(true);
    hw_handle parent = hw_new(&kinds[NODE]);

    hw_collect(false);
    hw_set(parent, kind_reference_offset(NODE, 0), leaf());
    for (int i = 0; i < 130; i++) EXPECT(leaf());
    hw_collect(false);
    EXPECT(!hw_in_young(parent->reference) && walks());
}

/* The same by the references of an old list. */
CASE(promoted_by_an_earlier_card) {
    options.tenure = 1;
    init();
    hw_handle list = hw_new_array(&kinds[OBJECTS], 200);

    hw_collect(true);
    hw_handle parent = hw_new(&kinds[NODE]);

    hw_set_element(list, 0, parent);
    hw_collect(false);
    hw_set(parent, kind_reference_offset(NODE, 0), leaf());
    parent->reference = 0;
    for (uint32_t i = 1; i <= 150; i++) {
        hw_scope scope = hw_scope_open();

        hw_set_element(list, i, leaf());
        hw_scope_close(scope);
    }
    hw_collect(false);
    EXPECT(walks());
}

#define MANY 31u
static const struct hw_klass many = {.object_size = HW_OBJECT_HEADER_SIZE + 4 * (MANY + 1),
                                     .kind = HW_KLASS_KIND_INSTANCE,
                                     .id = 99,
                                     .reference_bitmap = UINT32_MAX >> 1};

/* Makes an object whose last reference is to `last`, and whose others are to leaves. */
static hw_handle many_over(hw_handle last) {
    hw_handle object = hw_new(&many);

    for (uint32_t i = 0; i < MANY; i++) {
        hw_scope scope = hw_scope_open();

        hw_set(object, HW_OBJECT_HEADER_SIZE + 4 * i, i == MANY - 1 ? last : leaf());
        hw_scope_close(scope);
    }
    return object;
}

static bool is(hw_ref reference, const struct hw_klass *klass) {
    return reference && hw_klass_of(hw_pointer(reference)) == klass;
}

/* Arrays of every length and objects of many references fill the stack to its end, and beyond. */
CASE(the_stack_is_full) {
    for (uint32_t length = 1; length <= 130; length++) {
        init();
        hw_handle below = leaf(), array = hw_new_array(&kinds[OBJECTS], length);

        for (int level = 0; level < 5; level++) below = many_over(below);
        for (uint32_t i = 0; i < length; i++) {
            hw_scope scope = hw_scope_open();

            hw_set_element(array, i, i == length - 1 ? below : leaf());
            hw_scope_close(scope);
        }
        hw_handle root = hw_handle_new(array->reference);
        hw_ref at;

        array->reference = below->reference = 0;
        hw_collect(false);
        EXPECT(walks() && hw_heap_statistics.young_collections == 1);
        const hw_ref *elements = (const hw_ref *)hw_array_bytes(root->reference);

        for (uint32_t i = 0; i + 1 < length; i++) EXPECT(is(elements[i], &kinds[LEAF]));
        at = elements[length - 1];
        for (int level = 0; level < 5; level++) {
            const hw_ref *slots = hw_pointer(at + HW_OBJECT_HEADER_SIZE);

            EXPECT(is(at, &many));
            for (uint32_t i = 0; i + 1 < MANY; i++) EXPECT(is(slots[i], &kinds[LEAF]));
            at = slots[MANY - 1];
        }
        EXPECT(is(at, &kinds[LEAF]));
        hw_handles_drop(hw_thread);
    }
}

static void fill(const struct hw_arenas *unit) {
    hw_make_filler(unit->fixed.top, unit->fixed.limit);
    hw_adopt_commit(unit->fixed.limit, unit->flexible.top);
}

/* A full arena gets another chunk, down to the end of eden; the other arena stays. */
CASE(a_full_arena_is_replaced_alone) {
    options.eden_bytes = 32768;
    init();
    const struct hw_arenas *unit = &hw_thread->unit;

    EXPECT(hw_adopt_room(64, 0));
    const struct hw_arena flexible = unit->flexible;
    uint32_t bytes = unit->fixed.limit - unit->fixed.base;

    EXPECT(flexible.limit - flexible.base == 2048);
    while (bytes < options.eden_bytes - 2048) {
        fill(unit);
        EXPECT(!hw_adopt_ready(8) && hw_adopt_room(64, 0) && unit->flexible.base == flexible.base && walks());
        bytes += unit->fixed.limit - unit->fixed.base;
    }
    EXPECT(bytes == options.eden_bytes - 2048 && hw_heap_statistics.young_collections == 0);
    fill(unit);
    EXPECT(hw_adopt_room(64, 0) && hw_heap_statistics.young_collections == 1 && walks());
}
