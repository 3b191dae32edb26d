/* Random steps of mutators, a model of a unit, and the collector: steps SEED STEPS [stress] [array] [tight]
 *
 * Everything is mirrored in malloc's memory and compared. The walker runs after every collection. Prints counts of
 * events, so that the test can tell that they occurred.
 */
#include "steps.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "generated/mem.h"
#include "memory.h"
#include "runtime/heap/adopt.h"
#include "runtime/heap/epoch.h"
#include "runtime/heap/object.h"
#include "runtime/heap/walk.h"

#define HEAP_BYTES (320 * 1024)
#define GUARD 4096

struct steps_did did;
static struct hw_thread threads[THREADS];
static struct mirror *mirrors[THREADS][ROOTS];
static hw_handle roots[THREADS][ROOTS];
static uint32_t thread_index, epoch;

static uint64_t state;

uint32_t draw(uint32_t bound) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state >> 33) % bound;
}

void put(uint32_t slot, hw_ref reference, struct mirror *mirror) {
    roots[thread_index][slot]->reference = reference;
    mirrors[thread_index][slot] = mirror;
}

static bool taken(uint32_t slot) { return mirrors[thread_index][slot] != NULL; }

static void compare(void) {
    struct pair pairs[THREADS * ROOTS];

    for (uint32_t i = 0; i < THREADS; i++)
        for (uint32_t j = 0; j < ROOTS; j++)
            pairs[i * ROOTS + j] = (struct pair){roots[i][j]->reference, mirrors[i][j]};
    did.compared += mirror_compare(pairs, THREADS * ROOTS);
}

static void check_walk(const char *when) {
    struct hw_walk walk;

    if (!hw_heap_walk(&walk)) {
        printf("%s: %s at %08x in %08x\n", when, walk.fault, walk.slot, walk.object);
        exit(3);
    }
}

void recover(void) {
    if (hw_error_clear() != HW_STATUS_OUT_OF_MEMORY || hw_error_clear() != HW_STATUS_OK) {
        printf("no exception, or not this one\n");
        exit(3);
    }
    check_walk("after an exception");
    did.out_of_memory++;
    for (uint32_t i = 0; i < ROOTS; i += 2) put(i, 0, NULL);
}

static enum kind random_kind(void) { return draw(KINDS); }

static uint32_t random_length(enum kind kind) {
    uint32_t most = draw(60) == 0 ? 6000 : 40;

    return kind == OBJECTS || kind == TAGGED_OBJECTS ? draw(most / 4) : kind == LONGS ? draw(most / 8) : draw(most);
}

static void allocate(void) {
    enum kind kind = random_kind();
    uint32_t length = random_length(kind), slot = draw(ROOTS);
    hw_scope scope = hw_scope_open();
    hw_handle handle = kind_is_array(kind) ? hw_new_array(&kinds[kind], length) : hw_new(&kinds[kind]);

    if (handle) {
        struct mirror *mirror = mirror_new(kind, length, draw(1 << 20));

        mirror_fill(mirror, hw_handle_object(handle));
        put(slot, handle->reference, mirror);
    } else {
        recover();
    }
    hw_scope_close(scope);
}

/* Sets `handle` to a root, or to what a few steps along references from a root lead to. Returns false if there is
 * none. */
static bool wander(hw_handle handle, struct mirror **mirror) {
    uint32_t slot = draw(ROOTS);

    if (!taken(slot)) return false;
    handle->reference = roots[thread_index][slot]->reference;
    *mirror = mirrors[thread_index][slot];
    for (uint32_t steps = draw(6); steps && kind_has_references((*mirror)->kind) && (*mirror)->length; steps--) {
        uint32_t index = draw((*mirror)->length);

        if (!(*mirror)->references[index]) break;
        handle->reference = *(hw_ref *)hw_pointer(handle->reference + kind_reference_offset((*mirror)->kind, index));
        *mirror = (*mirror)->references[index];
    }
    return true;
}

static void link_objects(void) {
    hw_scope scope = hw_scope_open();
    hw_handle target = hw_handle_new(roots[thread_index][0]->reference),
              value = hw_handle_new(roots[thread_index][0]->reference);
    struct mirror *target_mirror, *value_mirror = NULL;

    if (wander(target, &target_mirror) && kind_has_references(target_mirror->kind) && target_mirror->length) {
        uint32_t index = draw(target_mirror->length);
        bool null = draw(6) == 0 || !wander(value, &value_mirror);

        if (kind_is_array(target_mirror->kind))
            hw_set_element(target, index, null ? NULL : value);
        else
            hw_set(target, kind_reference_offset(target_mirror->kind, index), null ? NULL : value);
        target_mirror->references[index] = null ? NULL : value_mirror;
    }
    hw_scope_close(scope);
}

static void move_root(void) {
    uint32_t from = draw(ROOTS), to = draw(ROOTS);

    if (draw(3) == 0)
        put(to, 0, NULL);
    else
        put(to, roots[thread_index][from]->reference, mirrors[thread_index][from]);
}

static void hash_or_claim(void) {
    hw_scope scope = hw_scope_open();
    hw_handle handle = hw_handle_new(0);
    struct mirror *mirror;

    if (wander(handle, &mirror)) {
        if (draw(2)) {
            uint32_t hash = hw_identity_hash(handle);

            if (mirror->hash && mirror->hash != hash) {
                printf("the identity hash has changed\n");
                exit(3);
            }
            mirror->hash = hash;
        } else if (kind_has_metadata(mirror->kind) && epoch) {
            uint32_t owner = epoch << 16 | draw(2);
            bool free = mirror->owner >> 16 != epoch || mirror->owner == owner;

            if (hw_epoch_claim(hw_handle_object(handle), owner) != free) {
                printf("a claim that should%s succeed\n", free ? "" : " not");
                exit(3);
            }
            did.claimed += free;
            if (free) mirror->owner = owner;
        }
    }
    hw_scope_close(scope);
}

static void next_epoch(void) {
    uint32_t before = epoch;

    if (epoch) hw_epoch_close(epoch);
    epoch = hw_epoch_open();
    if (epoch <= before)
        mirror_forget_owners(); /* the epochs have run out: a full collection has cleared the metadata */
}

/* Jumps to the last epoch, as if all others had been used: opening the next one overflows. */
static void skip_epochs(void) {
    hw_epoch_reset(HW_EPOCH_LAST);
    epoch = hw_epoch_open();
}

static void switch_thread(void) {
    hw_thread->safe = true;
    thread_index = draw(THREADS);
    hw_thread = &threads[thread_index];
    hw_thread->safe = false;
}

static void step(void) {
    uint32_t choice = draw(1000);

    if (choice < 380)
        allocate();
    else if (choice < 620)
        link_objects();
    else if (choice < 760)
        move_root();
    else if (choice < 840)
        hash_or_claim();
    else if (choice < 940)
        unit_command();
    else if (choice < 980)
        switch_thread();
    else if (choice < 985)
        next_epoch();
    else if (choice < 988)
        hw_collect(choice == 987);
    else if (choice < 990)
        skip_epochs();
    else if (choice < 995)
        check_walk("between collections");
    else
        compare();
}

int main(int argc, char **argv) {
    bool stress = false, tight = false;
    uint64_t steps = argc > 2 ? strtoull(argv[2], NULL, 0) : 100000;

    state = argc > 1 ? strtoull(argv[1], NULL, 0) : 1;
    for (int i = 3; i < argc; i++) {
        stress |= strcmp(argv[i], "stress") == 0;
        tight |= strcmp(argv[i], "tight") == 0;
        if (strcmp(argv[i], "array") == 0) hw_adopt_way(HW_ADOPT_ARRAY);
    }
    printf("seed %llu\n", (unsigned long long)state);
    memory_map();
    kinds_init();
    for (uint32_t i = 0; i < THREADS; i++) {
        threads[i].next = &threads[(i + 1) % THREADS];
        threads[i].safe = i != 0;
    }
    hw_thread = &threads[0];
    guard_set(MAIN_RAM_BASE + GUARD, HEAP_BYTES);
    const struct hw_heap_options options = {
        .base = MAIN_RAM_BASE + GUARD,
        .bytes = tight ? HEAP_BYTES / 2 : HEAP_BYTES,
        .eden_bytes = tight ? 24 * 1024 : 0,
        .region_bytes = 4096,
        .large_bytes = 80 * 1024,
        .buffer_bytes = 512,
        .unit_bytes = 1024,
        .tenure = 3,
        .stress = stress,
        .poison = true,
        .verify = hw_heap_verify,
    };
    if (!hw_heap_init(&options)) {
        printf("the options do not fit\n");
        return 2;
    }
    for (uint32_t i = 0; i < THREADS; i++) {
        hw_thread = &threads[i];
        for (uint32_t j = 0; j < ROOTS; j++) roots[i][j] = hw_handle_new(0);
    }
    hw_thread = &threads[0];
    for (uint64_t i = 0; i < steps; i++) step();
    compare();
    guard_check(MAIN_RAM_BASE + GUARD, HEAP_BYTES);
    printf(
        "young %u full %u copied %llu promoted %llu out_of_memory %u commands %u full_arenas %u large_arenas %u claims "
        "%u "
        "compared %u\n",
        hw_heap_statistics.young_collections, hw_heap_statistics.full_collections,
        (unsigned long long)hw_heap_statistics.copied_bytes, (unsigned long long)hw_heap_statistics.promoted_bytes,
        did.out_of_memory, did.commands, did.full_arenas, did.large_arenas, did.claimed, did.compared);
    return 0;
}
