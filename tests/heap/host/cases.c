/* Cases of the heap. */
#include "cases.h"

#include <string.h>

#include "memory.h"
#include "runtime/heap/card.h"
#include "runtime/heap/epoch.h"
#include "runtime/heap/input.h"
#include "runtime/heap/object.h"
#include "runtime/heap/walk.h"
#include "runtime/message.h"
#include "runtime/registers.h"

struct hw_heap_options options = {
    .base = CASES_BASE,
    .bytes = CASES_HEAP_BYTES,
    .region_bytes = 4096,
    .large_bytes = 32768,
    .poison = true,
    .verify = hw_heap_verify,
};

void init(void) { EXPECT(hw_heap_init(&options)); }

bool walks(void) {
    struct hw_walk walk;

    return hw_heap_walk(&walk);
}

CASE(options_that_do_not_fit) {
    const struct hw_heap_options bad[] = {
        {.base = CASES_BASE + 8, .bytes = CASES_HEAP_BYTES},
        {.base = 0, .bytes = CASES_HEAP_BYTES},
        {.base = CASES_BASE, .bytes = 4096},
        {.base = CASES_BASE, .bytes = 0xfffffc00},
        {.base = CASES_BASE, .bytes = CASES_HEAP_BYTES, .eden_bytes = CASES_HEAP_BYTES},
        {.base = CASES_BASE, .bytes = CASES_HEAP_BYTES, .large_bytes = CASES_HEAP_BYTES},
        {.base = CASES_BASE, .bytes = CASES_HEAP_BYTES, .region_bytes = 3000},
        {.base = CASES_BASE, .bytes = CASES_HEAP_BYTES, .tenure = 16},
        {.base = CASES_BASE, .bytes = CASES_HEAP_BYTES, .eden_bytes = 1024, .buffer_bytes = 2048},
    };

    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        if (hw_heap_init(&bad[i])) {
            printf("options %zu were accepted\n", i);
            exit(3);
        }
}

/* An object of more than half a region: it is never moved, a full collection frees it, and young collections see its
 * references. */
CASE(large_objects) {
    init();
    hw_scope scope = hw_scope_open();
    hw_handle array = hw_new_array(&kinds[OBJECTS], 2000), small = hw_new_array(&kinds[OBJECTS], 500);
    hw_ref at = array->reference;

    EXPECT(at >= hw_space.large.base && !hw_in_young(at) && hw_in_young(small->reference));
    for (uint32_t i = 0; i < 2000; i += 37) {
        hw_scope inner = hw_scope_open();

        hw_set_element(array, i, hw_new(&kinds[LEAF]));
        hw_scope_close(inner);
        if (i % 5 == 0) hw_collect(i % 2);
    }
    hw_collect(false);
    hw_collect(true);
    EXPECT(array->reference == at && hw_large_used() == 8192);
    for (uint32_t i = 0; i < 2000; i++) {
        hw_scope inner = hw_scope_open();
        hw_handle element = hw_get_element(array, i);

        EXPECT(!element == (i % 37 != 0));
        EXPECT(!element || hw_klass_of(hw_handle_object(element)) == &kinds[LEAF]);
        hw_scope_close(inner);
    }
    hw_scope_close(scope);
    hw_collect(false);
    EXPECT(hw_large_used() == 8192);
    hw_collect(true);
    EXPECT(hw_large_used() == 0);
}

/* An object that the empty heap has no room for costs no collection: strangers may ask for any size. */
CASE(byte_strings_of_strangers) {
    init();
    hw_well_known_init();
    HW_SCOPE;
    hw_handle array = hw_new_array(hw_pointer(hw_registers[HW_REG_KLASS_BYTE_ARRAY]), 10);
    hw_handle view = hw_new(hw_pointer(hw_registers[HW_REG_KLASS_BYTE_VIEW]));
    struct hw_byte_view *as = hw_handle_object(view);

    as->owner = array->reference, as->mark = HW_OBJECT_BYTE_VIEW_MARK, as->offset = 3, as->length = 7;
    EXPECT(hw_byte_string_is_sound(view->reference));
    as->length = 8;
    EXPECT(!hw_byte_string_is_sound(view->reference));
    as->offset = 11, as->length = 0;
    EXPECT(!hw_byte_string_is_sound(view->reference));
    as->offset = 3, as->length = UINT32_MAX;
    EXPECT(!hw_byte_string_is_sound(view->reference));
    as->length = 1, as->owner = 0;
    EXPECT(!hw_byte_string_is_sound(view->reference));
    as->owner = view->reference;
    EXPECT(!hw_byte_string_is_sound(view->reference));
    as->owner = array->reference, as->mark = 0;
    EXPECT(!hw_byte_string_is_sound(view->reference));
    EXPECT(!hw_byte_string_is_sound(array->reference));
}

CASE(too_large_ever) {
    init();
    uint32_t collections = hw_heap_statistics.full_collections;

    EXPECT(!hw_new_array(&kinds[OBJECTS], 32768) && hw_error_clear() == HW_STATUS_OUT_OF_MEMORY);
    EXPECT(hw_input_take(32769) == 0 && hw_heap_statistics.full_collections == collections);
    EXPECT(hw_input_take(32768) != 0);
    EXPECT(hw_input_take(32768) == 0 && hw_heap_statistics.full_collections == collections + 1);
}

/* Global handles are roots until they are dropped, whatever scope they were made in. */
CASE(global_handles) {
    init();
    hw_scope scope = hw_scope_open();
    hw_handle local = hw_new_array(&kinds[LONGS], 3), global = hw_global_new(local);
    uint32_t hash = hw_identity_hash(local);

    hw_scope_close(scope);
    hw_collect(false);
    hw_collect(true);
    EXPECT(hw_array_length(global->reference) == 3 && hw_identity_hash(global) == hash);
    hw_global_drop(global);
    hw_collect(true);
    EXPECT(hw_heap_used() == 0);
}

CASE(handles_run_out) {
    init();
    while (hw_handle_room()) hw_handle_new(0);
    EXPECT(hw_error_status() == HW_STATUS_NO_HANDLE && !hw_new(&kinds[LEAF]) && !hw_handle_new(0));
    EXPECT(hw_error_clear() == HW_STATUS_NO_HANDLE && hw_error_status() == HW_STATUS_OK);
    hw_handles_drop(hw_thread);
    hw_collect(true); /* the object that hw_new had made */
    EXPECT(hw_heap_used() == 0 && hw_new(&kinds[LEAF]));
}

/* A message in an arena may get a reference. It has no card: what lies behind the table of cards stays as it is. */
CASE(a_reference_outside_the_heap) {
    init();
    hw_ref *slot = hw_pointer(hw_space.limit), value = hw_new(&kinds[LEAF])->reference;
    uint8_t *behind = &hw_space.cards[(hw_space.limit - hw_space.base) >> HW_CARD_SHIFT], was = *behind;

    *behind = 0x55;
    hw_write_message(slot, value);
    EXPECT(*slot == value && *behind == 0x55);
    *behind = was;
    hw_ref *inside = hw_pointer(hw_space.old.base);

    hw_cards_set(hw_space.old.base, hw_space.old.base + HW_CARD_BYTES, HW_CARD_CLEAN);
    hw_write_message(inside, 0);
    EXPECT(hw_space.cards[hw_card_of(hw_space.old.base)] == HW_CARD_DIRTY);
}

/* More handles than a thread has slots of its own take regions of the large space, until their scope closes. */
CASE(the_table_of_handles_grows) {
    enum { MANY = 3 * HW_LOCAL_HANDLES };
    static hw_handle handles[MANY];
    static uint32_t hashes[MANY];

    init();
    hw_handle first = hw_new(&kinds[LEAF]);
    hw_scope outer = hw_scope_open();
    {
        HW_SCOPE;
        for (uint32_t i = 0; i < MANY; i++) {
            handles[i] = i % 100 == 0 ? hw_new(&kinds[LEAF]) : hw_handle_hold(first->reference);
            EXPECT(handles[i]);
            hashes[i] = hw_identity_hash(handles[i]);
        }
        EXPECT(hw_heap_used() > MANY * sizeof(struct hw_handle_slot) / 2);
        hw_collect(false);
        hw_collect(true);
        for (uint32_t i = 0; i < MANY; i++) EXPECT(hw_identity_hash(handles[i]) == hashes[i]);
        hw_scope_close(handles[HW_LOCAL_HANDLES + 10]); /* in the second part */
        EXPECT(hw_handle_new(first->reference) == handles[HW_LOCAL_HANDLES + 10]);
        hw_scope_close(handles[10]);
        EXPECT(hw_handle_new(first->reference) == handles[10]);
    }
    EXPECT(hw_scope_open() == outer && hw_identity_hash(first) == hashes[1]);
    hw_collect(true);
    EXPECT(hw_heap_used() == hw_object_bytes(hw_handle_object(first)));
    EXPECT(walks());
}

CASE(epochs_run_out) {
    init();
    hw_handle object = hw_new(&kinds[TAGGED]);
    uint32_t first = hw_epoch_open();

    EXPECT(first == 1 && hw_epoch_claim(hw_handle_object(object), first << 16 | 7));
    EXPECT(hw_epoch_claim(hw_handle_object(object), first << 16 | 7));
    EXPECT(!hw_epoch_claim(hw_handle_object(object), first << 16 | 8));
    hw_collect(true); /* moving an object keeps its claim */
    EXPECT(!hw_epoch_claim(hw_handle_object(object), first << 16 | 8));
    hw_epoch_close(first);
    hw_epoch_reset(HW_EPOCH_LAST);
    uint32_t last = hw_epoch_open();

    EXPECT(last == HW_EPOCH_LAST && hw_epoch_open() == 0 && hw_error_clear() == HW_STATUS_OUT_OF_EPOCHS);
    EXPECT(hw_epoch_claim(hw_handle_object(object), last << 16 | 9)); /* a claim of a closed epoch is no obstacle */
    hw_epoch_close(last);
    uint32_t collections = hw_heap_statistics.full_collections;

    EXPECT(hw_epoch_open() == 1 && hw_heap_statistics.full_collections == collections + 1);
    EXPECT(*(uint32_t *)((char *)hw_handle_object(object) + HW_OBJECT_METADATA_INSTANCE) == 0);
}

/* Owners that share an epoch retire one after the other. */
CASE(owners_retire) {
    init();
    hw_handle object = hw_new(&kinds[TAGGED]);
    uint32_t first = hw_epoch_open(), second = hw_epoch_open(), owner = second << HW_EPOCH_SHIFT;

    EXPECT(hw_epoch_oldest_owner() == first << HW_EPOCH_SHIFT && hw_epoch_claim(hw_handle_object(object), owner | 7));
    hw_epoch_retire(first, 9);
    EXPECT(hw_epoch_oldest_owner() == (first << HW_EPOCH_SHIFT | 9) && hw_epoch_counts(owner | 7) &&
           !hw_epoch_claim(hw_handle_object(object), owner | 8));
    hw_epoch_retire(second, 7);
    EXPECT(hw_epoch_counts(owner | 7) && !hw_epoch_counts(owner | 6) &&
           !hw_epoch_claim(hw_handle_object(object), owner | 8));
    hw_epoch_retire(second, 8);
    EXPECT(!hw_epoch_counts(owner | 7) && hw_epoch_claim(hw_handle_object(object), owner | 8));
    hw_epoch_retire(second, 3); /* the limit only rises */
    EXPECT(!hw_epoch_counts(owner | 7) && !hw_epoch_claim(hw_handle_object(object), owner | 9));
    hw_epoch_close(first);
    EXPECT(hw_epoch_oldest_owner() == (owner | 8) && !hw_epoch_counts(first << HW_EPOCH_SHIFT | 9) &&
           hw_epochs_open() == 1);
    hw_epoch_close(second);
    EXPECT(hw_epoch_oldest_owner() == UINT32_MAX && hw_epochs_open() == 0 &&
           hw_epoch_claim(hw_handle_object(object), first << HW_EPOCH_SHIFT | 1));
}

/* The table of object starts is the same whether a map fills it or single notes: objects of every size, at every place
 * of a card. */
CASE(starts_of_a_map) {
    static uint32_t map[32768 / 8 / 32];
    static uint8_t one_by_one[32768 / HW_CARD_BYTES];
    uint32_t dice = 1;

    init();
    hw_ref run = hw_large_take(32768);

    EXPECT(run != 0);
    for (uint32_t turn = 0; turn < 200; turn++) {
        uint8_t *starts = hw_space.starts + hw_card_of(run);
        uint32_t end = 0;

        memset(map, 0, sizeof map);
        hw_starts_clear(run, run + 32768);
        for (uint32_t bytes; end < 32768 && (turn < 100 || end < 9000); end += bytes) {
            dice = dice * 1664525u + 1013904223u;
            bytes = 8 + (dice >> 16) % (dice >> 13 & 7 ? 64 + turn : 9000) / 8 * 8;
            bytes = bytes > 32768 - end ? 32768 - end : bytes;
            map[end / 256] |= 1u << end / 8 % 32;
            hw_starts_note(run + end, bytes);
        }
        uint32_t cards = hw_card_of(run + end - 1) - hw_card_of(run) + 1;

        memcpy(one_by_one, starts, cards);
        memset(starts, 0xee, cards + 1);
        hw_starts_note_map(run, run + end, map);
        EXPECT(memcmp(one_by_one, starts, cards) == 0 && starts[cards] == 0xee);
    }
}

/* An object becomes old after `tenure` young collections. */
CASE(ages) {
    options.tenure = 3;
    init();
    hw_handle object = hw_new(&kinds[LEAF]);

    for (int survived = 0; survived < 3; survived++) {
        hw_collect(false);
        EXPECT(hw_in_young(object->reference));
    }
    hw_collect(false);
    EXPECT(!hw_in_young(object->reference));
}

int main(int argc, char **argv) {
    memory_map();
    kinds_init();
    return run_case(argc, argv);
}
