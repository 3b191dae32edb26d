/* The operations of a script on Cereal's driver. The program that includes this file, on the host or on the SoC, adds
 * its own, and the limits at the start. */
#include <stdlib.h>
#include <string.h>

#include "../common/expect.h"
#include "../common/script/graph.h"
#include "../common/script/script.h"
#include "cereal/cereal.h"
#include "runtime/heap/card.h"
#include "runtime/heap/epoch.h"

#define CONTEXTS 16

static struct hw_cereal contexts[CONTEXTS];
static struct hw_cereal_output outputs[CONTEXTS];
static struct hw_cereal_input inputs[CONTEXTS];
static uint8_t *buffers[CONTEXTS];
static void *works[CONTEXTS];
static uint32_t work_bytes, buffer_bytes, held;

int32_t test_register_class(struct hw_klass *klass) { return hw_cereal_register_class(klass); }

/* words: bytes of the work area, bytes of the output; several commands at once share them */
static void limits(const uint32_t *words) {
    work_bytes = words[0];
    buffer_bytes = words[1];
}

/* words: whether streams have no marks */
static void strip(const uint32_t *words) {
    hw_cereal_initialize(words[0]);
    test_register();
}

/* Each context has its own buffer and work area, in memory of their sizes, so that ASan sees their ends. */
static void open_contexts(uint32_t count) {
    uint32_t work = count == 1 ? work_bytes : work_bytes / count / 64 * 64;
    uint32_t buffer = count == 1 ? buffer_bytes : buffer_bytes / count / 64 * 64;

    for (uint32_t i = 0; i < count; i++) {
        works[i] = aligned_alloc(64, (work + 63) / 64 * 64);
        buffers[i] = malloc(buffer ? buffer : 16);
        /* units use only the whole blocks of it */
        hw_cereal_open(&contexts[i], works[i], work - 10 * i);
        hw_cereal_output_open(&outputs[i], buffers[i], buffer);
    }
}

static void close_contexts(uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        hw_cereal_clear(&contexts[i]);
        free(works[i]);
        free(buffers[i]);
    }
}

/* Answers a status and the number of commands that software executed. */
static void put_outcome(uint32_t index) {
    script_put_word((uint32_t)contexts[index].status);
    script_put_word(contexts[index].fallbacks);
}

/* Answers an outcome, and what was written, if it is not longer than `most`. */
static void put_written(uint32_t index, uint32_t most) {
    uint32_t bytes = contexts[index].status == HW_STATUS_OK ? (uint32_t)(outputs[index].at - buffers[index]) : 0;

    put_outcome(index);
    script_put_word(bytes);
    script_put(buffers[index], bytes <= most ? bytes : 0);
}

/* words: place, whether software writes, the longest stream to be told */
static void write_graph(const uint32_t *words) {
    open_contexts(1);
    contexts[0].written_by_unit &= !words[1];
    hw_cereal_write(&contexts[0], &outputs[0], script_places[words[0]]);
    put_written(0, words[2]);
    EXPECT(hw_epochs_open() == (held != 0));
    close_contexts(1);
}

/* words: place, whether software reads, bytes, stream. Answers an outcome, and the stream's length or the error's
 * offset. */
static void read_graph(const uint32_t *words) {
    uint32_t bytes = words[2];
    hw_scope scope = hw_scope_open();
    uint8_t *stream = malloc(bytes ? bytes : 16);
    hw_handle root;

    open_contexts(1);
    contexts[0].read_by_unit &= !words[1];
    memcpy(stream, words + 3, bytes);
    hw_cereal_input_open(&inputs[0], stream, bytes);
    bool done = hw_cereal_read(&contexts[0], &inputs[0], &root);

    if (done)
        script_keep(words[0], root);
    else
        hw_error_clear();
    put_outcome(0);
    script_put_word(done ? (uint32_t)(inputs[0].at - stream) : contexts[0].offset);
    close_contexts(1);
    free(stream);
    hw_scope_close(scope);
    test_walk();
}

/* Returns a number from 0 to bound - 1. */
static uint32_t draw(uint32_t *state, uint32_t bound) {
    *state = *state * 1103515245 + 12345;
    return (*state >> 16) % bound;
}

/* Fills `order` with a permutation of the numbers below `count`. */
static void shuffle(uint32_t *order, uint32_t count, uint32_t *state) {
    for (uint32_t i = 0; i < count; i++) order[i] = i;
    for (uint32_t i = count; i > 1; i--) {
        uint32_t other = draw(state, i), was = order[i - 1];

        order[i - 1] = order[other];
        order[other] = was;
    }
}

/* words: count, seed, collection in the middle (1: young, 2: full), the longest stream to be told. Copies the graphs of
 * the first places at the same time: writes all and ends them in another order; reads them likewise, to the places
 * behind. Answers for each what was written; then the outcomes of reading. */
static void copy_abreast(const uint32_t *words) {
    uint32_t count = words[0], state = words[1], collection = words[2], order[CONTEXTS];
    hw_handle copies[CONTEXTS] = {0};
    hw_scope scope = hw_scope_open();

    open_contexts(count);
    for (uint32_t i = 0; i < count; i++) EXPECT(hw_cereal_write_begin(&contexts[i], &outputs[i], script_places[i]));
    if (collection) hw_collect(collection == 2);
    shuffle(order, count, &state);
    for (uint32_t i = 0; i < count; i++) hw_cereal_write_end(&contexts[order[i]], &outputs[order[i]]);
    EXPECT(hw_epochs_open() == 0 && hw_thread_settled(hw_thread));
    for (uint32_t i = 0; i < count; i++) {
        put_written(i, words[3]);
        hw_cereal_input_open(&inputs[i], buffers[i], (uint32_t)(outputs[i].at - buffers[i]));
        contexts[i].fallbacks = 0;
    }
    for (uint32_t i = 0; i < count; i++) hw_cereal_read_begin(&contexts[i], &inputs[i]);
    if (collection) hw_collect(collection == 2);
    shuffle(order, count, &state);
    for (uint32_t i = 0; i < count; i++)
        if (hw_cereal_read_end(&contexts[order[i]], &inputs[order[i]], &copies[order[i]]))
            script_keep(count + order[i], copies[order[i]]);
    test_walk();
    for (uint32_t i = 0; i < count; i++) put_outcome(i);
    close_contexts(count);
    hw_scope_close(scope);
}

/* words: place, step. Another serialization claims every `step`-th object of the graph. Answers how many. */
static void hold(const uint32_t *words) {
    hw_ref *objects;
    uint32_t count, *described = test_describe(script_places[words[0]]->reference, &count, &objects), taken = 0;

    held = hw_epoch_open();
    for (uint32_t i = 0; i < described[0]; i += words[1])
        taken += hw_epoch_claim(hw_pointer(objects[i]), held << HW_EPOCH_SHIFT | 0xfff);
    script_put_word(taken);
    free(objects);
    free(described);
}

static void release(const uint32_t *words) {
    (void)words;
    hw_epoch_close(held);
    held = 0;
}

static void epoch(const uint32_t *words) { hw_epoch_reset(words[0]); }

/* words: place, length. Builds a list of nodes of the first class, whose second slot is the next node; the first slots
 * count from 0 at the end to `length` - 1. */
static void list(const uint32_t *words) {
    hw_scope scope = hw_scope_open();
    hw_handle last = hw_new(&test_klasses[0]);

    for (uint32_t i = 0; i < words[1]; i++) {
        hw_ref node = hw_allocate(&test_klasses[0]);

        EXPECT(node);
        ((uint32_t *)hw_pointer(node))[4] = i;
        hw_write((hw_ref *)hw_pointer(node + 20), i ? last->reference : 0);
        last->reference = node;
    }
    script_keep(words[0], last);
    hw_scope_close(scope);
}

/* words: place. Answers the length of such a list. */
static void length(const uint32_t *words) {
    uint32_t count = 0;

    for (hw_ref node = script_places[words[0]]->reference; node; node = *(hw_ref *)hw_pointer(node + 20)) count++;
    for (hw_ref node = script_places[words[0]]->reference, left = count; node; node = *(hw_ref *)hw_pointer(node + 20))
        EXPECT(((uint32_t *)hw_pointer(node))[4] == --left);
    script_put_word(count);
}

/* words: count. All places below it hold the object of the first place. */
static void share(const uint32_t *words) {
    for (uint32_t place = 1; place < words[0]; place++) script_keep(place, script_places[0]);
}

#define CEREAL_OPERATIONS                                                                                          \
    {"limits", limits}, {"strip", strip}, {"write", write_graph}, {"read", read_graph}, {"abreast", copy_abreast}, \
        {"hold", hold}, {"release", release}, {"epoch", epoch}, {"list", list}, {"length", length}, {              \
        "share", share                                                                                             \
    }
