/* Executes a script in the load region on Cereal's units and their driver, and leaves answers behind it.
 * tests/soc/cereal_script.py writes the script and reads the answers. Graphs are those of tests/cereal/host/graph.h, in
 * places of their own. */
#include <string.h>

#include "../../cereal/host/graph.h"
#include "../../common/expect.h"
#include "platform/cycles.h"
#include "runtime/heap/adopt.h"
#include "runtime/heap/card.h"
#include "runtime/heap/epoch.h"
#include "runtime/heap/space.h"
#include "script.h"
#include "units/capability.h"
#include "cereal/cereal.h"

enum operation {
    END,
    CLASS,
    BUILD,
    WRITE,
    READ,
    DESCRIBE,
    HOLD,
    RELEASE,
    COLLECT,
    STRESS,
    ABREAST,
    STRIP,
    COUNTS,
    EPOCH,
    LIST,
    LENGTH,
    HASHES,
    SHARE
};

#define PLACES 24
#define CONTEXTS 16
#define TOLD_BYTES (96u << 10)

static hw_handle places[PLACES];
static struct hw_cereal contexts[CONTEXTS];
static struct hw_cereal_output outputs[CONTEXTS];
static struct hw_cereal_input inputs[CONTEXTS];
static uint32_t abreast, held, buffer_bytes;

/* Answers the length of a stream, and the stream itself if it is not too long to be examined. */
static void put_stream(const void *stream, uint32_t bytes) {
    script_put_word(bytes);
    script_put(stream, bytes <= TOLD_BYTES ? bytes : 0);
}

static void keep(uint32_t place, hw_handle handle) {
    hw_global_drop(places[place]);
    places[place] = handle ? hw_global_new(handle) : NULL;
}

/* Each context has its own buffer and work area. */
static uint8_t *buffer_of(uint32_t index) { return hw_pointer(BUFFERS_BASE + 2 * index * buffer_bytes); }

static void open_contexts(uint32_t count) {
    abreast = count;
    buffer_bytes = BUFFERS_BYTES / 2 / count / 64 * 64;
    for (uint32_t i = 0; i < count; i++) {
        /* units use only the whole blocks of it */
        hw_cereal_open(&contexts[i], buffer_of(i) + buffer_bytes, buffer_bytes - 10 * i);
        hw_cereal_output_memory(&outputs[i], buffer_of(i), buffer_bytes);
    }
}

/* Answers a status, the number of commands that software executed, and what the unit or `software` has written. */
static void write_graph(uint32_t place, bool software) {
    open_contexts(1);
    contexts[0].written_by_unit &= !software;
    bool written = hw_cereal_write_object(&contexts[0], &outputs[0], places[place]);
    uint32_t bytes = written ? (uint32_t)(outputs[0].at - buffer_of(0)) : 0;

    script_put_word((uint32_t)contexts[0].status);
    script_put_word(contexts[0].fallbacks);
    put_stream(buffer_of(0), bytes);
    EXPECT(hw_epochs_open() == (held != 0));
}

static const uint32_t *read_graph(const uint32_t *words) {
    uint32_t place = words[0], software = words[1], bytes = words[2];
    hw_scope scope = hw_scope_open();
    hw_handle root;

    open_contexts(1);
    contexts[0].read_by_unit &= !software;
    memcpy(buffer_of(0), words + 3, bytes);
    hw_cereal_input_memory(&inputs[0], buffer_of(0), bytes);
    if (hw_cereal_read_object(&contexts[0], &inputs[0], &root))
        keep(place, root);
    else
        hw_exception_take();
    script_put_word((uint32_t)contexts[0].status);
    script_put_word(contexts[0].fallbacks);
    script_put_word(contexts[0].status == HW_STATUS_OK ? (uint32_t)(inputs[0].at - buffer_of(0)) : contexts[0].offset);
    hw_scope_close(scope);
    test_walk();
    return words + 3 + (bytes + 3) / 4;
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

/* Copies the graphs of the first `count` places at the same time: writes all and ends them in another order; reads them
 * likewise, to the places behind. Answers for each a status, fallbacks and the stream; then a status and fallbacks.
 * `collect`: a collection in the middle. */
static const uint32_t *copy_abreast(const uint32_t *words) {
    uint32_t count = words[0], state = words[1], collect = words[2], order[CONTEXTS];
    hw_handle copies[CONTEXTS] = {0};
    hw_scope scope = hw_scope_open();

    open_contexts(count);
    for (uint32_t i = 0; i < count; i++) EXPECT(hw_cereal_begin_write(&contexts[i], &outputs[i], places[i]));
    if (collect) hw_collect(collect == 2);
    shuffle(order, count, &state);
    for (uint32_t i = 0; i < count; i++) hw_cereal_end_write(&contexts[order[i]], &outputs[order[i]]);
    EXPECT(hw_epochs_open() == 0 && !hw_thread->pending);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t bytes = (uint32_t)(outputs[i].at - buffer_of(i));

        script_put_word((uint32_t)contexts[i].status);
        script_put_word(contexts[i].fallbacks);
        put_stream(buffer_of(i), bytes);
        hw_cereal_input_memory(&inputs[i], buffer_of(i), bytes);
        contexts[i].fallbacks = 0;
    }
    for (uint32_t i = 0; i < count; i++) hw_cereal_begin_read(&contexts[i], &inputs[i]);
    if (collect) hw_collect(collect == 2);
    shuffle(order, count, &state);
    for (uint32_t i = 0; i < count; i++)
        if (hw_cereal_end_read(&contexts[order[i]], &inputs[order[i]], &copies[order[i]]))
            keep(count + order[i], copies[order[i]]);
    test_walk();
    for (uint32_t i = 0; i < count; i++) {
        script_put_word((uint32_t)contexts[i].status);
        script_put_word(contexts[i].fallbacks);
    }
    hw_scope_close(scope);
    return words + 3;
}

/* Claims every `step`-th object of the graph for another serialization. */
static void hold(uint32_t place, uint32_t step) {
    hw_ref *objects;
    uint32_t count, *words = test_describe(places[place]->reference, &count, &objects), taken = 0;

    held = hw_epoch_open();
    for (uint32_t i = 0; i < words[0]; i += step)
        taken += hw_epoch_claim(hw_pointer(objects[i]), held << HW_EPOCH_SHIFT | 0xfff);
    script_put_word(taken);
}

/* Builds a list of nodes of the first class, whose second slot is the next node; the first slots count from 0 at the
 * end to `length` - 1. */
static void list(uint32_t place, uint32_t length) {
    hw_scope scope = hw_scope_open();
    hw_handle last = hw_new(&test_klasses[0]);

    for (uint32_t i = 0; i < length; i++) {
        hw_ref node = hw_allocate(&test_klasses[0]);

        EXPECT(node);
        ((uint32_t *)hw_pointer(node))[4] = i;
        hw_write((hw_ref *)hw_pointer(node + 20), i ? last->reference : 0);
        last->reference = node;
    }
    keep(place, last);
    hw_scope_close(scope);
}

static uint32_t length(uint32_t place) {
    uint32_t count = 0;

    for (hw_ref node = places[place]->reference; node; node = *(hw_ref *)hw_pointer(node + 20)) count++;
    for (hw_ref node = places[place]->reference, left = count; node; node = *(hw_ref *)hw_pointer(node + 20))
        EXPECT(((uint32_t *)hw_pointer(node))[4] == --left);
    return count;
}

static void counts(void) {
    for (uint32_t kind = HW_UNIT_CEREAL_SERIALIZER; kind <= HW_UNIT_CEREAL_DESERIALIZER; kind++) {
        script_put_word(hw_unit_count(kind));
        script_put_word(hw_unit_counter(kind, HW_COUNTER_COMMANDS));
        script_put_word(hw_unit_counter(kind, HW_COUNTER_BUSY_CYCLES));
    }
    script_put_word(hw_heap_statistics.young_collections);
    script_put_word(hw_heap_statistics.full_collections);
    script_put_word(cycles_now());
}

static const uint32_t *step(enum operation operation, const uint32_t *words) {
    hw_scope scope = hw_scope_open();
    int32_t id;

    script_empty_store();
    switch (operation) {
        case CLASS:
            words = test_class(words, &id);
            script_put_word((uint32_t)id);
            break;
        case BUILD: {
            uint32_t place = *words++;
            hw_handle root = test_build(&words);

            EXPECT(root);
            keep(place, root);
            hw_scope_close(scope);
            break;
        }
        case WRITE:
            write_graph(words[0], words[1]);
            return words + 2;
        case READ:
            return read_graph(words);
        case ABREAST:
            return copy_abreast(words);
        case DESCRIBE:
            script_put_graph(places[*words++]->reference);
            break;
        case HOLD:
            hold(words[0], words[1]);
            return words + 2;
        case RELEASE:
            hw_epoch_close(held);
            held = 0;
            break;
        case COLLECT:
            hw_collect(*words++);
            break;
        case STRESS:
            hw_space.options.stress = *words++;
            break;
        case STRIP:
            hw_cereal_initialize(*words++);
            test_register();
            break;
        case COUNTS:
            counts();
            break;
        case EPOCH:
            hw_epoch_reset(*words++);
            break;
        case LIST:
            list(words[0], words[1]);
            return words + 2;
        case LENGTH:
            script_put_word(length(*words++));
            break;
        case HASHES:
            script_put_word(hw_identity_hash(places[*words++]));
            break;
        case SHARE:
            for (uint32_t place = 1; place < *words; place++) keep(place, places[0]);
            words++;
            break;
        default:
            printf("operation %d\n", operation);
            hw_finish_now(3);
    }
    return words;
}

int main(void) {
    const uint32_t *words = hw_pointer(HW_LOAD_BASE);
    struct hw_heap_options options = {
        .base = HW_FLEXIBLE_BASE,
        .bytes = words[0],
        .eden_bytes = words[1],
        .large_bytes = words[2],
        .poison = words[3],
    };

    hw_capability_discover();
    EXPECT(hw_heap_init(&options));
    hw_adopt_way(words[4] ? HW_ADOPT_ARRAY : HW_ADOPT_BUFFER);
    hw_cereal_initialize(false);
    script_open();
    words += 5;
    while (*words != END) words = step((enum operation) * words, words + 1);
    test_walk();
    hw_collect(true);
    test_walk();
    script_close();
    return 0;
}
