/* Reads graphs of Java's objects and writes them back, each in its format: by Cereal's units, and by their modes for
 * Skyway. Streams come over the line; or they lie in memory, each behind its length, and so do the answers. A stream of
 * neither format ends the program; its answer is what the units did, the words of `struct told`. */
#include <string.h>

#include "../../common/expect.h"
#include "classes.h"
#include "platform/cycles.h"
#include "platform/uart.h"
#include "programs/monitor/object_line.h"
#include "runtime/heap/heap.h"
#include "runtime/java/class.h"
#include "runtime/regions.h"
#include "runtime/registers.h"
#include "skyway/skyway.h"
#include "skyway/units/assist.h"
#include "units/capability.h"

#define PATIENCE 20000000u
#define ROOTS 64
#define HEAD 64 /* before a stream in memory: its length */
#define THIRD (HW_LOAD_BYTES / 3 / 64 * 64)
#define REGISTRY 1
#define SENDER 7

static struct told {
    uint32_t read, written, left;                 /* Cereal's commands by units; those that software did */
    uint32_t taken, sent, takes_left, sends_left; /* Skyway's, likewise */
} told;

static struct object_line line;
static uint8_t *const incoming = (uint8_t *)HW_LOAD_BASE, *const outgoing = (uint8_t *)HW_LOAD_BASE + THIRD,
                      *const work = (uint8_t *)HW_LOAD_BASE + 2 * THIRD;

static void register_classes(void) {
    hw_skyway_drive(REGISTRY, &hw_skyway_java_loader);
    EXPECT(hw_skyway_load_java_classes() == HW_STATUS_OK);
    hw_skyway_sender = SENDER;
    hw_cereal_initialize(false);
    for (uint32_t i = 0; i < hw_class_count; i++)
        if (hw_java_klasses[i].flags & HW_KLASS_FLAG_METADATA)
            EXPECT(hw_cereal_register_class(&hw_java_klasses[i]) != HW_CEREAL_REFUSED);
    hw_skyway_assist_by(hw_skyway_units());
}

static bool turn_cereal(struct hw_cereal_input *input, struct hw_cereal_output *output) {
    struct hw_cereal context;
    hw_handle root;

    hw_cereal_open(&context, work, THIRD);
    bool good = hw_cereal_read(&context, input, &root) && hw_cereal_write(&context, output, root);

    if (!good) printf("cereal %d %lu\n", context.status, (unsigned long)context.offset);
    told.left += context.fallbacks;
    return good;
}

static bool turn_skyway(struct hw_cereal_input *input, struct hw_cereal_output *output) {
    static struct hw_skyway_input from;
    static struct hw_skyway_output to;
    struct hw_skyway_memory_sink sink;
    struct hw_skyway_source source;
    hw_handle roots[ROOTS];
    uint32_t count = 0;

    hw_skyway_memory_source(&source, input->at, (uint32_t)(input->limit - input->at));
    hw_skyway_input_open(&from, &source, work, THIRD / 2, HW_SKYWAY_LAYOUT_METADATA);
    while (count < ROOTS && hw_skyway_read(&from, &roots[count])) count++;
    if (from.status != HW_SKYWAY_END) printf("skyway %d %lu\n", from.status, (unsigned long)from.at);
    if (from.status != HW_SKYWAY_END || hw_skyway_shuffle_start() != HW_STATUS_OK) return false;
    hw_skyway_memory_sink(&sink, output->at, (uint32_t)(output->limit - output->at));
    hw_skyway_output_open(&to, &sink.sink, work + THIRD / 2, THIRD / 2, HW_SKYWAY_LAYOUT_METADATA);
    for (uint32_t i = 0; i < count; i++) EXPECT(hw_skyway_write(&to, roots[i]));
    EXPECT(hw_skyway_output_close(&to));
    told.taken += from.commands;
    told.takes_left += from.fallbacks;
    told.sent += to.commands;
    told.sends_left += to.fallbacks;
    hw_skyway_free(from.buffer);
    input->consume(input, (uint32_t)(input->limit - input->at));
    return output->complete(output, (uint32_t)(sink.sink.at - output->at));
}

/* Returns false after a stream that ends the program, or if there is none. */
static bool turn(struct hw_cereal_input *input, struct hw_cereal_output *output) {
    uint32_t magic;

    if (input->limit == input->at && !(input->fetch && input->fetch(input, sizeof magic))) return false;
    memcpy(&magic, input->at, sizeof magic);
    if (magic == HW_CEREAL_MAGIC) return turn_cereal(input, output);
    if (magic == SKYWAY_MAGIC) return turn_skyway(input, output);
    told.read = hw_unit_counter(HW_UNIT_CEREAL_DESERIALIZER, HW_COUNTER_COMMANDS);
    told.written = hw_unit_counter(HW_UNIT_CEREAL_SERIALIZER, HW_COUNTER_COMMANDS);
    memcpy(output->at, &told, sizeof told);
    output->complete(output, sizeof told);
    return false;
}

/* Puts the answer's length before it, and the next one behind it. */
static bool keep(struct hw_cereal_output *output, uint32_t bytes) {
    *(uint32_t *)(void *)(output->at - HEAD) = bytes;
    output->at += HEAD + (bytes + HEAD - 1) / HEAD * HEAD;
    return true;
}

static void turn_in_memory(void) {
    struct hw_cereal_output output = {.at = outgoing + HEAD, .limit = work, .complete = keep};
    struct hw_cereal_input input;
    uint32_t bytes;

    for (uint8_t *at = incoming; (bytes = *(uint32_t *)(void *)at); at += HEAD + (bytes + HEAD - 1) / HEAD * HEAD) {
        hw_scope scope = hw_scope_open();

        hw_cereal_input_open(&input, at + HEAD, bytes);
        EXPECT(turn(&input, &output));
        hw_scope_close(scope);
    }
    EXPECT(told.left + told.takes_left + told.sends_left == 0);
}

static void turn_over_line(void) {
    struct object_line_output output;
    struct object_line_input input;

    object_line_open(&line, hw_uart_put, hw_uart_take, cycles_now, PATIENCE);
    object_line_output(&output, &line, outgoing, THIRD);
    object_line_input(&input, &line, incoming, THIRD);
    for (bool more = true; more;) {
        hw_scope scope = hw_scope_open();

        more = turn(&input.stream, &output.stream);
        hw_scope_close(scope);
    }
    hw_uart_flush();
}

int main(void) {
    bool preloaded = *(uint32_t *)(void *)incoming != 0;
    const struct hw_heap_options options = {
        .base = HW_FIXED_BASE,
        .bytes = preloaded ? HW_FIXED_BYTES + HW_FLEXIBLE_BYTES : 4u << 20,
        .large_bytes = preloaded ? HW_FLEXIBLE_BYTES / 2 : 1u << 20,
    };

    hw_capability_discover();
    hw_well_known_init();
    hw_classes_init();
    EXPECT(hw_heap_init(&options));
    register_classes();
    if (preloaded)
        turn_in_memory();
    else
        turn_over_line();
    return 0;
}
