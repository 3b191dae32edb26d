#include "graph.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../expect.h"
#include "runtime/heap/card.h"
#include "runtime/heap/heap.h"
#include "runtime/heap/walk.h"

struct hw_klass test_klasses[TEST_CLASSES];
uint32_t test_class_count;
bool test_metadata = true;

static char names[1 << 16];
static uint32_t bitmaps[1 << 14];
static uint32_t names_used, bitmaps_used;

static const struct hw_klass list_klass = {.kind = HW_KLASS_KIND_OBJECT_ARRAY, .element_shift = 2};

#define METADATA_SLOTS (test_metadata ? HW_METADATA_SLOTS : 0)

void test_walk(void) {
    struct hw_walk walk;

    if (!hw_heap_walk(&walk)) {
        printf("walker: %s, object %" PRIx32 ", slot %" PRIx32 "\n", walk.fault, walk.object, walk.slot);
        TEST_END(3);
    }
}

/* Bit i of a description is slot 4 + i of the object; in a klass it is slot 2 + i. */
static uint32_t bitmap(const uint32_t *bits, uint32_t slots) {
    uint32_t words = (slots + METADATA_SLOTS + 31) / 32, *map = &bitmaps[bitmaps_used];

    if (slots + METADATA_SLOTS <= 30) return slots ? bits[0] << METADATA_SLOTS : 0;
    bitmaps_used += words + 1;
    map[0] = words;
    for (uint32_t i = 0; i < slots; i++)
        if (bits[i / 32] >> i % 32 & 1) map[1 + (i + METADATA_SLOTS) / 32] |= 1u << (i + METADATA_SLOTS) % 32;
    return HW_KLASS_LONG_BITMAP | hw_reference(map) >> 1;
}

int32_t test_class(const uint32_t *words, bool registers) {
    uint32_t kind = words[0], slots = words[2], bit_words = (slots + 31) / 32, length = words[3 + bit_words];
    const char *name = (const char *)(words + 4 + bit_words);
    struct hw_klass *klass = &test_klasses[test_class_count];

    memcpy(names + names_used, name, length);
    *klass = (struct hw_klass){
        .object_size = kind == HW_KLASS_KIND_INSTANCE ? HW_OBJECT_HEADER_SIZE + 4 * (METADATA_SLOTS + slots) : 0,
        .kind = kind,
        .element_shift = words[1],
        .reference_bitmap = bitmap(words + 3, slots),
        .name = hw_reference(names + names_used),
        .flags = test_metadata ? HW_KLASS_FLAG_METADATA : 0,
    };
    names_used += length + 1;
    int32_t id = registers ? test_register_class(klass) : 0;

    test_class_count++;
    return id;
}

struct hw_klass *test_class_named(const char *name) {
    for (uint32_t i = 0; i < test_class_count; i++)
        if (strcmp(hw_pointer(test_klasses[i].name), name) == 0) return &test_klasses[i];
    return NULL;
}

void test_register(void) {
    for (uint32_t i = 0; i < test_class_count; i++) test_register_class(&test_klasses[i]);
}

static bool is_reference(const struct hw_klass *klass, uint32_t length, uint32_t slot) {
    if (klass->kind == HW_KLASS_KIND_OBJECT_ARRAY) return slot < length;
    if (klass->kind == HW_KLASS_KIND_PRIMITIVE_ARRAY) return false;
    slot += METADATA_SLOTS;
    if (!(klass->reference_bitmap & HW_KLASS_LONG_BITMAP)) return slot < 31 && klass->reference_bitmap >> slot & 1;
    const uint32_t *map = hw_pointer(klass->reference_bitmap << 1);

    return map[1 + slot / 32] >> slot % 32 & 1;
}

static uint32_t header_bytes(const struct hw_klass *klass) {
    return klass->object_size ? HW_OBJECT_HEADER_SIZE + 4 * METADATA_SLOTS : hw_klass_elements(klass);
}

static uint32_t slots_of(const struct hw_klass *klass, uint32_t length) {
    return (hw_klass_bytes(klass, length) - header_bytes(klass)) / 4;
}

static void fill(hw_ref object, const uint32_t *words, hw_ref list) {
    const struct hw_klass *klass = &test_klasses[words[0]];
    uint32_t slots = slots_of(klass, words[2]);
    uint32_t *slot = hw_pointer(object + header_bytes(klass));

    ((struct hw_object *)hw_pointer(object))->mark |= words[1] << HW_OBJECT_MARK_HASH_BIT;
    for (uint32_t i = 0; i < slots; i++) {
        uint32_t word = words[3 + i];

        if (!is_reference(klass, words[2], i))
            slot[i] = word;
        else
            hw_write(&slot[i], word ? ((hw_ref *)hw_pointer(list + HW_OBJECT_ARRAY_ELEMENTS))[word - 1] : 0);
    }
}

hw_handle test_build(const uint32_t *words) {
    uint32_t count = *words++;
    const uint32_t *at = words;
    hw_handle list = hw_new_array(&list_klass, count);

    for (uint32_t i = 0; i < count && list; i++) {
        const struct hw_klass *klass = &test_klasses[at[0]];
        hw_scope scope = hw_scope_open();
        hw_handle object = klass->object_size ? hw_new(klass) : hw_new_array(klass, at[2]);

        if (!object) return NULL;
        hw_set_element(list, i, object);
        hw_scope_close(scope);
        at += 3 + slots_of(klass, at[2]);
    }
    if (!list) return NULL;
    at = words;
    for (uint32_t i = 0; i < count; i++) {
        fill(((hw_ref *)hw_pointer(list->reference + HW_OBJECT_ARRAY_ELEMENTS))[i], at, list->reference);
        at += 3 + slots_of(&test_klasses[at[0]], at[2]);
    }
    return hw_get_element(list, 0);
}

/* A hash table from objects to their indices + 1. */
static struct place {
    hw_ref object;
    uint32_t place;
} *places;
static uint32_t place_mask;

static uint32_t *place_of(hw_ref object) {
    uint32_t at = object / 8 * 2654435761u >> 7 & place_mask;

    while (places[at].object && places[at].object != object) at = (at + 1) & place_mask;
    places[at].object = object;
    return &places[at].place;
}

uint32_t *test_describe(hw_ref root, uint32_t *count, hw_ref **found) {
    uint32_t capacity = 1 << 16, used = 1, objects = 1, *words = malloc(capacity * sizeof *words);
    uint32_t bound, limit, queue_size = 1024;
    hw_ref *queue = malloc(queue_size * sizeof *queue);

    hw_heap_bounds(&bound, &limit);
    for (place_mask = 1; place_mask < (limit - bound) / 16; place_mask *= 2);
    places = calloc(place_mask--, sizeof *places);
    queue[0] = root;
    *place_of(root) = 1;
    for (uint32_t done = 0; done < objects; done++) {
        const uint32_t *object = hw_pointer(queue[done]);
        const struct hw_klass *klass = hw_pointer(object[1]);
        uint32_t length = klass->object_size ? 0 : object[2], slots = slots_of(klass, length);
        const uint32_t *slot = object + header_bytes(klass) / 4;

        while (used + slots + 3 > capacity) words = realloc(words, (capacity *= 2) * sizeof *words);
        words[used++] = (uint32_t)(klass - test_klasses);
        words[used++] = object[0] >> HW_OBJECT_MARK_HASH_BIT;
        words[used++] = length;
        for (uint32_t i = 0; i < slots; i++) {
            words[used] = slot[i];
            if (is_reference(klass, length, i) && slot[i]) {
                uint32_t *place = place_of(slot[i]);

                if (*place == 0) {
                    if (objects == queue_size) queue = realloc(queue, (queue_size *= 2) * sizeof *queue);
                    queue[objects++] = slot[i];
                    *place = objects;
                }
                words[used] = *place;
            }
            used++;
        }
    }
    words[0] = objects;
    free(places);
    *found = queue;
    *count = used;
    return words;
}
