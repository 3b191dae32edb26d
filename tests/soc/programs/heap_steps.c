/* Random steps of two preempted threads with the real unit and the collector. The expected contents of every slot of a
 * thread's table are kept beside it and compared. The walker runs after each collection. Parameters: steps of each
 * thread, HW_ADOPT_*. */
#include "heap.h"
#include "runtime/regions.h"
#include "runtime/registers.h"
#include "thread/thread.h"

#define THREADS 2
#define SLOTS 8
#define TICK 7001
#define STACK_WORDS 1024
#define MAX_BYTES 300u

enum kind { NOTHING, MESSAGE, BYTES, PAIR };

/* PAIR: an array of two references to messages. */
struct expected {
    enum kind kind;
    uint32_t value, second; /* case, seed, first case; second case */
    uint32_t length, hash;
};

struct mutator {
    uint32_t dice;
    struct hw_protobuf context;
    hw_handle table;
    struct expected slots[SLOTS];
};

static struct mutator mutators[THREADS];
static struct hw_thread worker;
static uint32_t stack[STACK_WORDS];
static volatile uint32_t commands, in_flight, compared, out_of_memory;

static const struct hw_klass *klass_of(uint32_t index) { return hw_pointer(hw_registers[index]); }

static void compare(struct mutator *m, uint32_t slot) {
    const struct expected *expected = &m->slots[slot];
    hw_handle object = hw_get_element(m->table, slot);

    EXPECT(!object == (expected->kind == NOTHING));
    if (!object) return;
    EXPECT(expected->hash == 0 || hw_identity_hash(object) == expected->hash);
    if (expected->kind == MESSAGE) {
        EXPECT(heap_is_case(object, expected->value));
    } else if (expected->kind == BYTES) {
        const uint8_t *bytes = hw_array_bytes(object->reference);

        EXPECT(hw_array_length(object->reference) == expected->length);
        for (uint32_t i = 0; i < expected->length; i++) EXPECT(bytes[i] == (uint8_t)(expected->value + 3 * i));
    } else {
        EXPECT(heap_is_case(hw_get_element(object, 0), expected->value));
        EXPECT(heap_is_case(hw_get_element(object, 1), expected->second));
    }
    compared++;
}

static void put(struct mutator *m, hw_handle object, struct expected expected) {
    uint32_t slot = heap_draw(&m->dice, SLOTS);

    hw_set_element(m->table, slot, object);
    m->slots[slot] = expected;
}

static void new_bytes(struct mutator *m) {
    uint32_t length = heap_draw(&m->dice, MAX_BYTES), seed = heap_draw(&m->dice, 256);
    hw_handle array = hw_new_array(klass_of(HW_REG_KLASS_BYTE_ARRAY), length);

    if (!array) {
        EXPECT(hw_error_clear() == HW_STATUS_OUT_OF_MEMORY);
        out_of_memory++;
        return;
    }
    for (uint32_t i = 0; i < length; i++) hw_array_bytes(array->reference)[i] = (uint8_t)(seed + 3 * i);
    put(m, array, (struct expected){.kind = BYTES, .value = seed, .length = length});
}

static void no_room(struct mutator *m) {
    EXPECT(m->context.status == HW_STATUS_OUT_OF_MEMORY && hw_error_clear() == HW_STATUS_OUT_OF_MEMORY);
    hw_protobuf_clear(&m->context);
    out_of_memory++;
}

/* Deserializes a message while another command may be in flight. */
static void message_between(struct mutator *m) {
    uint32_t index = heap_draw(&m->dice, heap_case_count), length;
    const void *input = heap_case_input(index, &length);
    hw_handle message;

    if (hw_protobuf_read(&m->context, heap_case_type(index), input, length, &message))
        put(m, message, (struct expected){.kind = MESSAGE, .value = index});
    else
        no_room(m);
}

/* Deserializes a message, either at once or with a command that stays in flight over some other steps. */
static void new_message(struct mutator *m) {
    uint32_t index = heap_draw(&m->dice, heap_case_count), length;
    const void *input = heap_case_input(index, &length);
    struct hw_protobuf_reading command;
    hw_handle message;
    bool done;

    if (heap_draw(&m->dice, 2)) {
        done = hw_protobuf_read(&m->context, heap_case_type(index), input, length, &message);
    } else {
        done = hw_protobuf_read_begin(&m->context, heap_case_type(index), input, length, &command);
        in_flight += done && hw_pending_in_flight(&command.pending);
        for (uint32_t steps = heap_draw(&m->dice, 3); done && steps; steps--) new_bytes(m);
        if (done && heap_draw(&m->dice, 2))
            message_between(m);
        else if (done && heap_draw(&m->dice, 2))
            /* the command is in flight, unless one of the steps above has settled it */
            hw_collect(heap_draw(&m->dice, 4) == 0);
        done = done && hw_protobuf_read_end(&command, &message);
    }
    commands++;
    if (done) {
        put(m, message, (struct expected){.kind = MESSAGE, .value = index});
        return;
    }
    no_room(m);
}

static void new_pair(struct mutator *m) {
    uint32_t first = heap_draw(&m->dice, SLOTS), second = heap_draw(&m->dice, SLOTS);

    if (m->slots[first].kind != MESSAGE || m->slots[second].kind != MESSAGE) return;
    hw_handle pair = hw_new_array(klass_of(HW_REG_KLASS_OBJECT_ARRAY), 2);

    if (!pair) {
        EXPECT(hw_error_clear() == HW_STATUS_OUT_OF_MEMORY);
        return;
    }
    hw_set_element(pair, 0, hw_get_element(m->table, first));
    hw_set_element(pair, 1, hw_get_element(m->table, second));
    put(m, pair, (struct expected){.kind = PAIR, .value = m->slots[first].value, .second = m->slots[second].value});
}

static void ask_hash(struct mutator *m) {
    uint32_t slot = heap_draw(&m->dice, SLOTS), hash;
    hw_handle object = hw_get_element(m->table, slot);

    if (!object) return;
    hash = hw_identity_hash(object);
    EXPECT(hash);
    for (uint32_t i = 0; i < SLOTS; i++) { /* updates every slot that refers to the object */
        hw_handle other = hw_get_element(m->table, i);

        if (other && other->reference == object->reference) {
            EXPECT(m->slots[i].hash == 0 || m->slots[i].hash == hash);
            m->slots[i].hash = hash;
        }
    }
}

static void step(struct mutator *m) {
    uint32_t choice = heap_draw(&m->dice, 100);
    hw_scope scope = hw_scope_open();

    if (choice < 25)
        new_message(m);
    else if (choice < 50)
        new_bytes(m);
    else if (choice < 60)
        new_pair(m);
    else if (choice < 70)
        put(m, NULL, (struct expected){0});
    else if (choice < 80)
        ask_hash(m);
    else if (choice < 98)
        compare(m, heap_draw(&m->dice, SLOTS));
    else if (heap_draw(&m->dice, 4) == 0)
        hw_collect(heap_draw(&m->dice, 4) == 0);
    hw_scope_close(scope);
}

static void mutate(void *argument) {
    struct mutator *m = argument;

    hw_protobuf_open_heap(&m->context);
    m->table = hw_new_array(klass_of(HW_REG_KLASS_OBJECT_ARRAY), SLOTS);
    EXPECT(m->table && m->context.read_by_unit);
    for (uint32_t i = 0; i < heap_parameter(0); i++) step(m);
    for (uint32_t i = 0; i < SLOTS; i++) compare(m, i);
    EXPECT(m->context.fallbacks == 0 && hw_error_clear() == HW_STATUS_OK);
}

int main(void) {
    const struct hw_heap_options options = {
        .base = HW_FIXED_BASE,
        .bytes = 112u << 10,
        .eden_bytes = 20u << 10,
        .region_bytes = 2048,
        .large_bytes = 16u << 10,
        .buffer_bytes = 512,
        .unit_bytes = 1024,
        .tenure = 2,
        .software_only = heap_parameter(2),
        .poison = true,
        .verify = hw_heap_verify,
    };

    heap_open();
    heap_start(&options, (enum hw_adoption)heap_parameter(1));
    for (uint32_t i = 0; i < THREADS; i++) mutators[i].dice = 17 * i + 3;
    hw_thread_preempt(TICK);
    EXPECT(hw_thread_start(&worker, stack, sizeof(stack), mutate, &mutators[1]));
    mutate(&mutators[0]);
    hw_thread_join(&worker);
    hw_thread_preempt(0);
    hw_collect(true);
    printf(
        "commands %lu in_flight %lu compared %lu out_of_memory %lu young %lu full %lu preemptions %lu met %lu restarts "
        "%lu evacuated %lu\n",
        (unsigned long)commands, (unsigned long)in_flight, (unsigned long)compared, (unsigned long)out_of_memory,
        (unsigned long)hw_heap_statistics.young_collections, (unsigned long)hw_heap_statistics.full_collections,
        (unsigned long)hw_thread_preemptions, (unsigned long)hw_heap_statistics.commands_met,
        (unsigned long)hw_heap_statistics.restarts, (unsigned long)hw_heap_statistics.evacuated_by_unit);
    return 0;
}
