#include "script.h"

#include <stdlib.h>
#include <string.h>

#include "../expect.h"
#include "graph.h"
#include "runtime/heap/adopt.h"

#define NAME_WORDS 4

hw_handle script_places[SCRIPT_PLACES];

void script_put_word(uint32_t word) { script_put(&word, sizeof word); }

void script_keep(uint32_t place, hw_handle handle) {
    EXPECT(place < SCRIPT_PLACES);
    hw_global_drop(script_places[place]);
    script_places[place] = handle ? hw_global_new(handle) : NULL;
}

/* words: base within the heaps' memory, bytes, eden, large space, region, adoption by arrays, stress, verify. Poisons
 * what a collection empties, unless the heap is so large that this takes long. */
static void heap(const uint32_t *words) {
    struct hw_heap_options options = {
        .base = TEST_HEAP_BASE + words[0],
        .bytes = words[1],
        .eden_bytes = words[2],
        .large_bytes = words[3],
        .region_bytes = words[4],
        .stress = words[6],
        .poison = words[1] <= 8u << 20,
        .verify = words[7] ? hw_heap_verify : NULL,
    };

    memset(script_places, 0, sizeof script_places);
    EXPECT(hw_heap_init(&options));
    hw_adopt_way(words[5] ? HW_ADOPT_ARRAY : HW_ADOPT_BUFFER);
}

/* words: whether it is registered, the class. Answers its id. */
static void define(const uint32_t *words) { script_put_word((uint32_t)test_class(words + 1, words[0])); }

/* words: place, graph */
static void build(const uint32_t *words) {
    hw_scope scope = hw_scope_open();
    hw_handle root = test_build(words + 1);

    EXPECT(root);
    script_keep(words[0], root);
    hw_scope_close(scope);
}

/* words: place. Answers the number of words, and the graph. */
static void describe(const uint32_t *words) {
    hw_ref *objects;
    uint32_t count, *described = test_describe(script_places[words[0]]->reference, &count, &objects);

    script_put_word(count);
    script_put(described, count * sizeof *described);
    free(objects);
    free(described);
}

/* words: whether the collection is full, whether all places are emptied before */
static void collect(const uint32_t *words) {
    for (uint32_t place = 0; words[1] && place < SCRIPT_PLACES; place++) script_keep(place, NULL);
    hw_collect(words[0]);
    test_walk();
}

static void stress(const uint32_t *words) { hw_space.options.stress = words[0]; }

static void used(const uint32_t *words) {
    (void)words;
    script_put_word(hw_heap_used());
}

/* words: place */
static void hash(const uint32_t *words) { script_put_word(hw_identity_hash(script_places[words[0]])); }

static const struct script_operation common[] = {
    {"heap", heap},         {"define", define},   {"build", build},
    {"describe", describe}, {"collect", collect}, {"stress", stress},
    {"used", used},         {"hash", hash},       {0},
};

static bool run_in(const struct script_operation *operations, const uint32_t *step) {
    for (; operations->name; operations++)
        if (strncmp(operations->name, (const char *)step, 4 * NAME_WORDS) == 0) {
            operations->run(step + NAME_WORDS + 1);
            return true;
        }
    return false;
}

void script_do(const uint32_t *step) {
    if (run_in(common, step) || run_in(script_operations, step)) return;
    printf("no operation %.16s\n", (const char *)step);
    TEST_END(3);
}
