/* Single cases of the heap, by name: cases NAME. Exit code 0 if it is as it should be. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "generated/mem.h"
#include "memory.h"
#include "mirror.h"
#include "runtime/heap/adopt.h"
#include "runtime/heap/card.h"
#include "runtime/heap/epoch.h"
#include "runtime/heap/large.h"
#include "runtime/heap/object.h"
#include "runtime/heap/walk.h"

#define EXPECT(condition)                                        \
    do {                                                         \
        if (!(condition)) {                                      \
            printf("%s:%d: %s\n", __FILE__, __LINE__, #condition); \
            exit(3);                                             \
        }                                                        \
    } while (0)

#define BASE (MAIN_RAM_BASE + 4096u)
#define HEAP_BYTES (128u * 1024)

static struct hw_heap_options options = {
    .base = BASE, .bytes = HEAP_BYTES, .region_bytes = 4096, .large_bytes = 32768, .poison = true, .verify = true,
};

static void init(void)
{
    EXPECT(hw_heap_init(&options));
}

static bool walks(void)
{
    struct hw_walk walk;

    return hw_heap_walk(&walk);
}

static void options_that_do_not_fit(void)
{
    const struct hw_heap_options bad[] = {
        {.base = BASE + 8, .bytes = HEAP_BYTES},
        {.base = 0, .bytes = HEAP_BYTES},
        {.base = BASE, .bytes = 4096},
        {.base = BASE, .bytes = 0xfffffc00},
        {.base = BASE, .bytes = HEAP_BYTES, .eden_bytes = HEAP_BYTES},
        {.base = BASE, .bytes = HEAP_BYTES, .large_bytes = HEAP_BYTES},
        {.base = BASE, .bytes = HEAP_BYTES, .region_bytes = 3000},
        {.base = BASE, .bytes = HEAP_BYTES, .tenure = 16},
        {.base = BASE, .bytes = HEAP_BYTES, .eden_bytes = 1024, .buffer_bytes = 2048},
    };

    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        if (hw_heap_init(&bad[i])) {
            printf("options %zu were accepted\n", i);
            exit(3);
        }
}

/* Fills the heap with what stays reachable until nothing fits; the exception is clean, and with the
 * references gone there is room again. */
static void out_of_memory(void)
{
    init();
    for (int round = 0; round < 3; round++) {
        hw_scope scope = hw_scope_open();
        hw_handle chain = hw_new(&kinds[NODE]), node;
        uint32_t count = 0;

        for (;;) {
            hw_scope inner = hw_scope_open();

            node = hw_new(&kinds[NODE]);
            if (!node)
                break;
            hw_set(node, kind_reference_offset(NODE, 0), chain);
            chain->reference = node->reference;
            hw_scope_close(inner);
            count++;
        }
        EXPECT(hw_exception_take() == HW_OUT_OF_MEMORY);
        EXPECT(walks());
        EXPECT(count * kinds[NODE].object_size > HEAP_BYTES / 3);
        for (hw_ref at = chain->reference; at; at = *(hw_ref *)hw_pointer(at + kind_reference_offset(NODE, 0)), count--)
            EXPECT(hw_klass_of(hw_pointer(at)) == &kinds[NODE]);
        EXPECT(count == UINT32_MAX); /* the first one is not counted */
        hw_scope_close(scope);
        EXPECT(hw_new(&kinds[NODE]) && hw_exception_take() == HW_NO_EXCEPTION);
    }
    EXPECT(!hw_new_array(&kinds[LONGS], UINT32_MAX) && hw_exception_take() == HW_OUT_OF_MEMORY);
    EXPECT(!hw_new_array(&kinds[BYTES], 1u << 20) && hw_exception_take() == HW_OUT_OF_MEMORY);
    EXPECT(walks());
}

/* Over half a region: never moved, freed by a full collection, its references are seen by young ones. */
static void large_objects(void)
{
    init();
    hw_scope scope = hw_scope_open();
    hw_handle array = hw_new_array(&kinds[OBJECTS], 2000), small = hw_new_array(&kinds[OBJECTS], 500);
    hw_ref at = array->reference;

    EXPECT(at >= hw_space.large.base && !hw_in_young(at) && hw_in_young(small->reference));
    for (uint32_t i = 0; i < 2000; i += 37) {
        hw_scope inner = hw_scope_open();

        hw_set_element(array, i, hw_new(&kinds[LEAF]));
        hw_scope_close(inner);
        if (i % 5 == 0)
            hw_collect(i % 2);
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

/* What is live fills the old generation and more: the rest stays in eden, seen from large objects, the
 * survivor space behind eden included; it all can be used and goes once it is dead. */
static void left_in_eden(void)
{
    options.eden_bytes = 16384;
    init();
    hw_scope scope = hw_scope_open();
    hw_handle array = hw_new_array(&kinds[OBJECTS], 6000);
    uint32_t count = 0;

    for (hw_handle leaf; count < 6000; count++, hw_thread->handles.count = 1) {
        leaf = hw_new(&kinds[LEAF]);
        if (!leaf)
            break;
        hw_set_element(array, count, leaf);
        *(uint32_t *)((char *)hw_handle_object(leaf) + HW_OBJECT_HEADER_SIZE) = count;
    }
    EXPECT(hw_exception_take() == HW_OUT_OF_MEMORY);
    EXPECT(hw_arena_used(&hw_space.old) > hw_space.old.limit - hw_space.old.base - 16);
    EXPECT(hw_arena_used(&hw_space.eden) >= options.eden_bytes - 16);
    EXPECT(walks());
    for (uint32_t i = 0; i < count; i++) {
        hw_handle leaf = hw_get_element(array, i);

        EXPECT(*(uint32_t *)((char *)hw_handle_object(leaf) + HW_OBJECT_HEADER_SIZE) == i);
        hw_thread->handles.count = 1;
        if (i % 2)
            hw_set_element(array, i, NULL);
    }
    hw_collect(true);
    EXPECT(walks() && hw_new(&kinds[LEAF]));
    hw_scope_close(scope);
    hw_collect(true);
    EXPECT(hw_heap_used() == 0);
}

static uint32_t dirty_cards(hw_handle array)
{
    uint32_t first = hw_card_of(array->reference), last = hw_card_of(array->reference + 4 * hw_array_length(array->reference));
    uint32_t dirty = 0;

    for (uint32_t card = first; card <= last; card++)
        dirty += hw_space.cards[card] == HW_CARD_DIRTY;
    return dirty;
}

/* After a full collection a large object has dirty cards only where it refers to what is left in eden. */
static void cards_of_large_objects(void)
{
    options.eden_bytes = 16384;
    init();
    hw_scope scope = hw_scope_open();
    hw_handle few = hw_new_array(&kinds[OBJECTS], 2000), many = hw_new_array(&kinds[OBJECTS], 6000), leaf;
    uint32_t base = hw_thread->handles.count;

    for (uint32_t i = 0; i < 2000; i += 100, hw_thread->handles.count = base)
        hw_set_element(few, i, hw_new(&kinds[LEAF]));
    EXPECT(dirty_cards(few) > 19 && dirty_cards(many));
    hw_collect(true);
    EXPECT(hw_arena_used(&hw_space.eden) == 0 && dirty_cards(few) == 0 && dirty_cards(many) == 0);

    for (uint32_t i = 0; (leaf = hw_new(&kinds[LEAF])) != NULL; hw_thread->handles.count = base)
        hw_set_element(many, i++, leaf);
    EXPECT(hw_exception_take() == HW_OUT_OF_MEMORY);
    hw_collect(true);
    EXPECT(hw_arena_used(&hw_space.eden) && dirty_cards(few) == 0 && dirty_cards(many) && walks());
    hw_scope_close(scope);
}

/* What cannot be: more is live than the old generation and eden hold. */
static void overfull(void)
{
    options.eden_bytes = 16384;
    init();
    hw_handle keep = hw_new_array(&kinds[OBJECTS], 6000), leaf;

    for (uint32_t i = 0; (leaf = hw_new(&kinds[LEAF])) != NULL; hw_thread->handles.count = 1)
        hw_set_element(keep, i++, leaf);
    hw_space.eden.limit -= 1024;
    hw_collect(true); /* ends the program */
}

/* As left_in_eden, by objects so long that the one that does not fit leaves a hole in the old
 * generation, with survivors and a nearly full eden: nothing goes beyond eden's end. */
static void long_objects(void)
{
    for (uint32_t length = 1600; length <= 2000; length += 16) {
        options.tenure = 15;
        options.eden_bytes = 24576;
        init();
        hw_scope scope = hw_scope_open();
        hw_handle keep = hw_new_array(&kinds[OBJECTS], 400);
        uint32_t count = 0, base = hw_thread->handles.count;

        for (hw_handle long_one; (long_one = hw_new_array(&kinds[BYTES], length - count % 3 * 8)) != NULL; count++) {
            hw_set_element(keep, count, long_one);
            hw_thread->handles.count = base;
        }
        EXPECT(hw_exception_take() == HW_OUT_OF_MEMORY && count > 20 && walks());
        hw_collect(true);
        EXPECT(walks() && hw_space.eden.top <= hw_space.eden.limit);
        hw_scope_close(scope);
    }
}

/* More references than the mark stack holds. */
static void wide_graph(void)
{
    init();
    hw_handle array = hw_new_array(&kinds[OBJECTS], 900);

    for (uint32_t i = 0; i < 900; i++) {
        hw_handle node = hw_new(&kinds[NODE]);

        hw_set_element(array, i, node);
        hw_set(node, kind_reference_offset(NODE, 1), hw_new(&kinds[LEAF]));
        hw_thread->handles.count = 1;
    }
    EXPECT(hw_space.stack_size < 450);
    hw_collect(true);
    EXPECT(walks());
    for (uint32_t i = 0; i < 900; i++) {
        hw_handle leaf = hw_get(hw_get_element(array, i), kind_reference_offset(NODE, 1));

        EXPECT(leaf && hw_klass_of(hw_handle_object(leaf)) == &kinds[LEAF]);
        hw_thread->handles.count = 1;
    }
}

/* Global handles are roots until they are dropped, in whatever scope they were made. */
static void global_handles(void)
{
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

static void handles_run_out(void)
{
    init();
    while (hw_new(&kinds[LEAF]))
        ;
    EXPECT(hw_exception_take() == HW_OUT_OF_HANDLES && hw_thread->handles.count == HW_LOCAL_HANDLES);
    hw_scope_close(0);
    EXPECT(hw_new(&kinds[LEAF]));
}

static void epochs_run_out(void)
{
    init();
    hw_handle object = hw_new(&kinds[TAGGED]);
    uint32_t first = hw_epoch_open();

    EXPECT(first == 1 && hw_epoch_claim(hw_handle_object(object), first << 16 | 7));
    EXPECT(hw_epoch_claim(hw_handle_object(object), first << 16 | 7));
    EXPECT(!hw_epoch_claim(hw_handle_object(object), first << 16 | 8));
    hw_collect(true); /* moves keep it */
    EXPECT(!hw_epoch_claim(hw_handle_object(object), first << 16 | 8));
    hw_epoch_close(first);
    hw_epoch_reset(HW_EPOCH_LAST);
    uint32_t last = hw_epoch_open();

    EXPECT(last == HW_EPOCH_LAST && hw_epoch_open() == 0 && hw_exception_take() == HW_OUT_OF_EPOCHS);
    EXPECT(hw_epoch_claim(hw_handle_object(object), last << 16 | 9)); /* a closed epoch is no obstacle */
    hw_epoch_close(last);
    uint32_t collections = hw_heap_statistics.full_collections;

    EXPECT(hw_epoch_open() == 1 && hw_heap_statistics.full_collections == collections + 1);
    EXPECT(*(uint32_t *)((char *)hw_handle_object(object) + HW_OBJECT_METADATA_INSTANCE) == 0);
}

/* A raw pointer kept over an allocation: under stress the object is elsewhere and its memory is
 * poison, so what is stored through the pointer is found. */
static void misuse(void)
{
    options.stress = true;
    init();
    hw_handle object = hw_new(&kinds[NODE]);
    char *raw = hw_handle_object(object);

    hw_new(&kinds[LEAF]);
    EXPECT(raw != hw_handle_object(object));
    hw_handle holder = hw_new(&kinds[NODE]);

    hw_write((hw_ref *)((char *)hw_handle_object(holder) + kind_reference_offset(NODE, 0)), hw_reference(raw));
    hw_collect(false); /* ends the program */
}

/* A store that goes around the barrier is found by the walker. */
static void no_barrier(void)
{
    init();
    hw_handle old = hw_new(&kinds[NODE]);

    hw_collect(true);
    EXPECT(!hw_in_young(old->reference));
    hw_handle young = hw_new(&kinds[LEAF]);

    *(hw_ref *)((char *)hw_handle_object(old) + kind_reference_offset(NODE, 1)) = young->reference;
    EXPECT(!walks());
}

/* Tenure: so many young collections, then old. */
static void ages(void)
{
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

static const struct {
    const char *name;
    void (*run)(void);
} cases[] = {
    {"options_that_do_not_fit", options_that_do_not_fit},
    {"out_of_memory", out_of_memory},
    {"large_objects", large_objects},
    {"left_in_eden", left_in_eden},
    {"cards_of_large_objects", cards_of_large_objects},
    {"overfull", overfull},
    {"long_objects", long_objects},
    {"wide_graph", wide_graph},
    {"global_handles", global_handles},
    {"handles_run_out", handles_run_out},
    {"epochs_run_out", epochs_run_out},
    {"misuse", misuse},
    {"no_barrier", no_barrier},
    {"ages", ages},
};

int main(int argc, char **argv)
{
    memory_map();
    kinds_init();
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        if (argc == 2 && strcmp(argv[1], cases[i].name) == 0) {
            cases[i].run();
            return 0;
        }
    printf("no such case\n");
    return 2;
}
