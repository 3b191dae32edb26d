/* Cases of a full, or nearly full, heap: where objects go, and what remains. */
#include "cases.h"

#include "runtime/heap/card.h"

/* Fills the heap with reachable objects until nothing fits. The error leaves the heap intact, and there is room
 * again once the references are gone. */
CASE(out_of_memory) {
    init();
    for (int round = 0; round < 3; round++) {
        hw_scope scope = hw_scope_open();
        hw_handle chain = hw_new(&kinds[NODE]), node;
        uint32_t count = 0;

        for (;;) {
            hw_scope inner = hw_scope_open();

            node = hw_new(&kinds[NODE]);
            if (!node) break;
            hw_set(node, kind_reference_offset(NODE, 0), chain);
            chain->reference = node->reference;
            hw_scope_close(inner);
            count++;
        }
        EXPECT(hw_error_clear() == HW_STATUS_OUT_OF_MEMORY);
        EXPECT(walks());
        EXPECT(count * kinds[NODE].object_size > CASES_HEAP_BYTES / 3);
        for (hw_ref at = chain->reference; at; at = *(hw_ref *)hw_pointer(at + kind_reference_offset(NODE, 0)), count--)
            EXPECT(hw_klass_of(hw_pointer(at)) == &kinds[NODE]);
        EXPECT(count == UINT32_MAX); /* the first node is not counted */
        hw_scope_close(scope);
        EXPECT(hw_new(&kinds[NODE]) && hw_error_clear() == HW_STATUS_OK);
    }
    EXPECT(!hw_new_array(&kinds[LONGS], UINT32_MAX) && hw_error_clear() == HW_STATUS_OUT_OF_MEMORY);
    EXPECT(!hw_new_array(&kinds[BYTES], 1u << 20) && hw_error_clear() == HW_STATUS_OUT_OF_MEMORY);
    EXPECT(walks());
}

/* Live objects fill the old generation and more: the rest stays in eden, including the survivor space behind it, and
 * large objects refer to it. All of it stays usable, and is freed once it is dead. */
CASE(left_in_eden) {
    options.eden_bytes = 16384;
    init();
    hw_scope scope = hw_scope_open();
    hw_handle array = hw_new_array(&kinds[OBJECTS], 6000);
    uint32_t count = 0;

    for (hw_handle leaf; count < 6000; count++, hw_scope_close(hw_thread->slots + 1)) {
        leaf = hw_new(&kinds[LEAF]);
        if (!leaf) break;
        hw_set_element(array, count, leaf);
        *(uint32_t *)((char *)hw_handle_object(leaf) + HW_OBJECT_HEADER_SIZE) = count;
    }
    EXPECT(hw_error_clear() == HW_STATUS_OUT_OF_MEMORY);
    EXPECT(hw_arena_used(&hw_space.old) > hw_space.old.limit - hw_space.old.base - 16);
    EXPECT(hw_arena_used(&hw_space.eden) >= options.eden_bytes - 16);
    EXPECT(walks());
    for (uint32_t i = 0; i < count; i++) {
        hw_handle leaf = hw_get_element(array, i);

        EXPECT(*(uint32_t *)((char *)hw_handle_object(leaf) + HW_OBJECT_HEADER_SIZE) == i);
        hw_scope_close(hw_thread->slots + 1);
        if (i % 2) hw_set_element(array, i, NULL);
    }
    hw_collect(true);
    EXPECT(walks() && hw_new(&kinds[LEAF]));
    hw_scope_close(scope);
    hw_collect(true);
    EXPECT(hw_heap_used() == 0);
}

static uint32_t dirty_cards(hw_handle array) {
    uint32_t first = hw_card_of(array->reference),
             last = hw_card_of(array->reference + 4 * hw_array_length(array->reference));
    uint32_t dirty = 0;

    for (uint32_t card = first; card <= last; card++) dirty += hw_space.cards[card] == HW_CARD_DIRTY;
    return dirty;
}

/* After a full collection, a large object has dirty cards only where it refers to objects that stayed in eden. */
CASE(cards_of_large_objects) {
    options.eden_bytes = 16384;
    init();
    hw_scope scope = hw_scope_open();
    hw_handle few = hw_new_array(&kinds[OBJECTS], 2000), many = hw_new_array(&kinds[OBJECTS], 6000), leaf;
    hw_scope base = hw_scope_open();

    for (uint32_t i = 0; i < 2000; i += 100, hw_scope_close(base)) hw_set_element(few, i, hw_new(&kinds[LEAF]));
    EXPECT(dirty_cards(few) > 19 && dirty_cards(many));
    hw_collect(true);
    EXPECT(hw_arena_used(&hw_space.eden) == 0 && dirty_cards(few) == 0 && dirty_cards(many) == 0);

    for (uint32_t i = 0; (leaf = hw_new(&kinds[LEAF])) != NULL; hw_scope_close(base)) hw_set_element(many, i++, leaf);
    EXPECT(hw_error_clear() == HW_STATUS_OUT_OF_MEMORY);
    hw_collect(true);
    EXPECT(hw_arena_used(&hw_space.eden) && dirty_cards(few) == 0 && dirty_cards(many) && walks());
    hw_scope_close(scope);
}

/* An impossible state: more is live than the old generation and eden can hold. */
CASE(overfull) {
    options.eden_bytes = 16384;
    init();
    hw_handle keep = hw_new_array(&kinds[OBJECTS], 6000), leaf;

    for (uint32_t i = 0; (leaf = hw_new(&kinds[LEAF])) != NULL; hw_scope_close(hw_thread->slots + 1))
        hw_set_element(keep, i++, leaf);
    hw_space.eden.limit -= 1024;
    hw_collect(true); /* ends the program */
}

/* Like left_in_eden, with objects so long that the one that does not fit leaves a hole in the old generation, with
 * survivors and a nearly full eden: nothing is placed beyond eden's end. */
CASE(long_objects) {
    for (uint32_t length = 1600; length <= 2000; length += 16) {
        options.tenure = 15;
        options.eden_bytes = 24576;
        init();
        hw_scope scope = hw_scope_open();
        hw_handle keep = hw_new_array(&kinds[OBJECTS], 400);
        hw_scope base = hw_scope_open();
        uint32_t count = 0;

        for (hw_handle long_one; (long_one = hw_new_array(&kinds[BYTES], length - count % 3 * 8)) != NULL; count++) {
            hw_set_element(keep, count, long_one);
            hw_scope_close(base);
        }
        EXPECT(hw_error_clear() == HW_STATUS_OUT_OF_MEMORY && count > 20 && walks());
        hw_collect(true);
        EXPECT(walks() && hw_space.eden.top <= hw_space.eden.limit);
        hw_scope_close(scope);
    }
}

/* More references than the mark stack can hold. */
CASE(wide_graph) {
    init();
    hw_handle array = hw_new_array(&kinds[OBJECTS], 900);

    for (uint32_t i = 0; i < 900; i++) {
        hw_handle node = hw_new(&kinds[NODE]);

        hw_set_element(array, i, node);
        hw_set(node, kind_reference_offset(NODE, 1), hw_new(&kinds[LEAF]));
        hw_scope_close(hw_thread->slots + 1);
    }
    EXPECT(hw_space.stack_size < 450);
    hw_collect(true);
    EXPECT(walks());
    for (uint32_t i = 0; i < 900; i++) {
        hw_handle leaf = hw_get(hw_get_element(array, i), kind_reference_offset(NODE, 1));

        EXPECT(leaf && hw_klass_of(hw_handle_object(leaf)) == &kinds[LEAF]);
        hw_scope_close(hw_thread->slots + 1);
    }
}
