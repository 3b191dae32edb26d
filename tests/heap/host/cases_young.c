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

/* What an arena lacks is not taken out of eden by the way of arrays, or above the share of an arena. */
CASE(a_full_arena_that_is_not_replaced_alone) {
    options.eden_bytes = 32768;
    for (int large = 0; large < 2; large++) {
        init();
        hw_adopt_way(large ? HW_ADOPT_BUFFER : HW_ADOPT_ARRAY);
        const struct hw_arenas *unit = &hw_thread->unit;

        EXPECT(hw_adopt_room(64, 0));
        const uint32_t flexible = unit->flexible.base;

        EXPECT(hw_adopt_room(large ? hw_eden_share() + 8 : hw_arena_free(&unit->fixed) + 8, 0));
        EXPECT(unit->flexible.base != flexible && hw_thread->unit_large[0] == large && walks());
        EXPECT((unit->fixed.base >= hw_space.large.base) == large);
    }
    hw_adopt_way(HW_ADOPT_BUFFER);
}

/* Under stress nothing is ready: each command is a safepoint, which collects. */
CASE(stress_leaves_the_fast_path) {
    options.stress = true;
    init();
    EXPECT(hw_adopt_room(64, 0) && !hw_adopt_ready(8));
    hw_collect(false);
    EXPECT(hw_adopt_room(64, 0) && !hw_adopt_ready(8));
    options.stress = false;
}

/* An arena in the large space is for one message. A piece does not come out of it, even if nothing was built there. */
CASE(a_piece_does_not_lie_in_a_large_arena) {
    struct hw_reserve piece;

    init();
    EXPECT(hw_adopt_room(hw_eden_share() + 8, 0) && hw_thread->unit_large[0]);
    EXPECT(hw_reserve_take(&piece, 64) && piece.start < hw_space.large.base && !hw_thread->unit_large[0]);
    struct hw_object *object = hw_pointer(piece.start);

    memset(object, 0, kinds[LEAF].object_size);
    *object = (struct hw_object){HW_OBJECT_MARK_UNLOCKED, hw_reference(&kinds[LEAF])};
    hw_handle handle = hw_handle_new(piece.start);

    hw_reserve_commit(&piece, piece.start + kinds[LEAF].object_size);
    hw_collect(true);
    EXPECT(walks() && hw_klass_of(hw_handle_object(handle)) == &kinds[LEAF]);
}
