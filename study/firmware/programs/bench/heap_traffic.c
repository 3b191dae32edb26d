/* Messages into the heap: both ways of adoption, the cost of collecting unit-built and other objects, heaps
 * with everything in them, and a collection while a command is in flight. */
#include <stdio.h>
#include <string.h>

#include "programs/bench/heap.h"
#include "runtime/regions.h"
#include "runtime/registers.h"

#define MB (1u << 20)
#define ADOPTED 100u
#define SURVIVING (64u << 10) /* bytes of graphs that one collection copies */
#define MAX_GRAPHS 512u
#define SMALL_EDEN (32u << 10)
#define KEPT 16u
#define MOST_KEPT 64u
#define WARM 100u /* messages at least, before and while the cycles are taken */
#define TIMED 300u
#define WAITS 2 /* the second has warm caches; the longer wait is reported */

/* Prints a row of a message, with what the message and the context say. */
static void row(const struct heap_message *message, const struct hw_protobuf *context, struct row row) {
    const bool by_unit = row.engine[0] == 'h'; /* hw, hw-array ...: software takes no part */

    row.name = message->name;
    row.wire_bytes = message->length;
    row.fallbacks = by_unit ? context->fallbacks : 0;
    row.status = (uint32_t)context->status;
    row.ok = row.ok && context->status == HW_STATUS_OK && context->read_by_unit == by_unit;
    heap_row(row);
}

static uint32_t collections(void) { return hw_heap_statistics.young_collections + hw_heap_statistics.full_collections; }

/* Deserializes ADOPTED messages. Their arenas are opened and closed as needed; nothing is collected. */
static void adopt(const struct heap_message *message, const char *engine, enum hw_adoption way, bool arenas) {
    struct hw_protobuf context;
    struct hw_arenas plain;
    struct timing timing;
    hw_handle last = NULL;

    heap_begin((struct hw_heap_options){.bytes = 16 * MB, .eden_bytes = 8 * MB});
    hw_adopt_way(way);
    if (arenas) {
        hw_arena_init(&plain.fixed, HW_FLEXIBLE_BASE, HW_FLEXIBLE_BYTES / 2);
        hw_arena_init(&plain.flexible, HW_FLEXIBLE_BASE + HW_FLEXIBLE_BYTES / 2, HW_FLEXIBLE_BYTES / 4);
        hw_protobuf_open(&context, &plain);
    } else {
        hw_protobuf_open_heap(&context);
    }
    TIME(&timing, 2, {
        for (uint32_t i = 0; i < ADOPTED; i++) {
            hw_scope scope = hw_scope_open();

            hw_protobuf_read(&context, message->type, message->input, message->length, &last);
            hw_scope_close(scope);
        }
    });
    row(message, &context,
        (struct row){
            .operation = "adopt",
            .engine = engine,
            .cycles = timing.cycles / ADOPTED,
            .ok = collections() == 0 && heap_is(last, message),
        });
}

/* Copies the graph one object at a time by ordinary allocation, parents first as mutators do. */
static hw_ref clone(hw_ref object);

static void clone_slot(hw_ref *slot, void *context) {
    (void)context;
    if (*slot) *slot = clone(*slot);
}

static hw_ref clone(hw_ref object) {
    const struct hw_klass *klass = hw_klass_of(hw_pointer(object));

    if (!hw_in_heap(object)) return object;
    hw_ref copy = klass->object_size ? hw_allocate(klass) : hw_allocate_array(klass, hw_array_length(object));

    if (copy) {
        memcpy(hw_pointer(copy), hw_pointer(object), hw_object_bytes(hw_pointer(object)));
        hw_visit_object(hw_pointer(copy), clone_slot, NULL);
    }
    return copy;
}

/* Runs a young collection over about SURVIVING bytes of graphs of this message. */
static void survive(const struct heap_message *message, const char *engine, bool by_unit, bool cloned) {
    struct hw_protobuf context;
    hw_scope scope;
    uint32_t count = 0, bytes = 0, pause = UINT32_MAX;
    bool ok = true;

    for (int turn = 0; turn < 2; turn++) {
        heap_begin((struct hw_heap_options){.bytes = 16 * MB, .eden_bytes = 4 * MB, .tenure = 15});
        hw_adopt_way(HW_ADOPT_BUFFER);
        hw_protobuf_open_heap(&context);
        if (!by_unit) hw_protobuf_software_only(&context);
        scope = hw_scope_open();
        hw_handle keep[MAX_GRAPHS];

        /* The first turn finds out how many graphs that takes; the second is timed. */
        for (uint32_t i = 0; i < (turn ? count : 1) && ok; i++) {
            ok = hw_protobuf_read(&context, message->type, message->input, message->length, &keep[i]);
            if (ok && cloned) keep[i]->reference = clone(keep[i]->reference);
        }
        ok = ok && collections() == 0;
        hw_collect(false);
        ok = ok && hw_heap_statistics.young_collections == 1 && collections() == 1;
        bytes = (uint32_t)hw_heap_statistics.copied_bytes;
        pause = hw_heap_statistics.longest_young;
        if (turn == 0) count = bytes && SURVIVING / bytes < MAX_GRAPHS ? SURVIVING / bytes + 1 : MAX_GRAPHS;
        ok = ok && heap_is(keep[0], message) && (turn == 0 || heap_is(keep[count - 1], message));
        hw_scope_close(scope);
    }
    row(message, &context,
        (struct row){
            .operation = "survive",
            .engine = engine,
            .cycles = pause,
            .object_bytes = bytes,
            .collections = 1,
            .ok = ok,
        });
}

/* Reads messages into a heap with so much eden, in which the last `kept` of them live. Both laps end with a collection.
 * The second is timed, so that its messages bear all of the collections' cost. */
static void end_to_end(const struct heap_message *message, const char *engine, enum hw_adoption way, uint32_t eden,
                       uint32_t kept) {
    const bool by_unit = engine[0] == 'h', software_gc = !strcmp(engine, "table") || !strcmp(engine, "hw-software-gc");
    struct hw_protobuf context;
    char operation[32];
    uint32_t next = 0, turns = 0, start = 0;

    heap_begin((struct hw_heap_options){
        .bytes = 6 * eden, .eden_bytes = eden, .survivor_bytes = eden / 2, .software_only = software_gc});
    hw_adopt_way(way);
    hw_protobuf_open_heap(&context);
    if (!by_unit) hw_protobuf_software_only(&context);
    hw_scope scope = hw_scope_open();
    hw_handle handle, keep = hw_new_array(hw_pointer(hw_registers[HW_REG_KLASS_OBJECT_ARRAY]), kept);
    bool ok = true;

    for (int lap = 0; lap < 2; lap++) {
        uint32_t before = 0;

        hw_heap_statistics = (struct hw_heap_statistics){0};
        start = cycles_now();
        for (turns = 0; ok && (turns < (lap ? TIMED : WARM) || collections() == before); turns++) {
            hw_scope inner = hw_scope_open();

            before = collections();
            ok = hw_protobuf_read(&context, message->type, message->input, message->length, &handle);
            if (ok && kept) hw_set_element(keep, next++ % kept, handle);
            hw_scope_close(inner);
        }
    }
    const uint32_t cycles = cycles_now() - start, messages = turns ? turns : 1;
    const struct hw_heap_statistics found = hw_heap_statistics;

    ok = ok && hw_protobuf_read(&context, message->type, message->input, message->length, &handle);
    ok = ok && heap_is(handle, message);
    for (uint32_t i = 0; i < kept && ok; i++) ok = heap_is(hw_get_element(keep, i), message);
    hw_scope_close(scope);
    snprintf(operation, sizeof operation, "end to end/%lu/%lu", (unsigned long)eden, (unsigned long)kept);
    row(message, &context,
        (struct row){
            .operation = operation,
            .engine = engine,
            .cycles = cycles / messages,
            .collections = found.young_collections + found.full_collections,
            .full_collections = found.full_collections,
            .collecting = (uint32_t)((found.young_cycles + found.full_cycles) / messages),
            .ok = ok,
        });
}

/* With the evacuation unit in the machine, if it has one, and without. */
static void collected(const struct heap_message *message, uint32_t eden, uint32_t kept) {
    static const char *const engines[] = {"hw", "hw-software-gc", "table", "table-unit-gc"};

    for (uint32_t i = 0; i < sizeof engines / sizeof *engines; i++)
        end_to_end(message, engines[i], HW_ADOPT_BUFFER, eden, kept);
}

void heap_traffic(const struct heap_message *message) {
    adopt(message, "hw-arenas", HW_ADOPT_BUFFER, true);
    adopt(message, "hw-buffer", HW_ADOPT_BUFFER, false);
    adopt(message, "hw-array", HW_ADOPT_ARRAY, false);
    survive(message, "hw", true, false);
    survive(message, "table", false, false);
    survive(message, "clone", false, true);
    collected(message, SMALL_EDEN, KEPT);
    end_to_end(message, "hw-array", HW_ADOPT_ARRAY, SMALL_EDEN, KEPT);
}

void heap_sizes(const struct heap_message *message) {
    static const uint32_t edens[] = {SMALL_EDEN, 128u << 10, 256u << 10, MB}, kept[] = {0, KEPT, MOST_KEPT};

    for (uint32_t i = 0; i < sizeof edens / sizeof *edens; i++)
        for (uint32_t k = 0; k < sizeof kept / sizeof *kept; k++) {
            if (edens[i] == SMALL_EDEN && kept[k] == KEPT) continue; /* heap_traffic has it */
            collected(message, edens[i], kept[k]);
        }
}

/* What a command in flight adds to a pause: a collection is requested right after a message was submitted. */
void heap_wait(const struct heap_message *message) {
    struct hw_protobuf context;
    struct hw_protobuf_reading command;
    uint32_t worst = 0;
    bool ok = true;

    heap_begin(
        (struct hw_heap_options){.bytes = 24 * MB, .eden_bytes = 4 * MB, .unit_bytes = MB, .large_bytes = 8 * MB});
    hw_protobuf_open_heap(&context);
    for (int turn = 0; turn < WAITS && ok; turn++) {
        hw_scope scope = hw_scope_open();
        hw_handle handle;

        hw_heap_statistics = (struct hw_heap_statistics){0};
        if (turn == 0) evict_caches();
        ok = hw_protobuf_read_begin(&context, message->type, message->input, message->length, &command);
        ok = ok && hw_pending_in_flight(&command.pending);
        hw_collect(false);
        if (hw_heap_statistics.longest_wait > worst) worst = hw_heap_statistics.longest_wait;
        /* The collection settled the command and moved the message. */
        ok = ok && command.pending.state == HW_PENDING_DONE && hw_protobuf_read_end(&command, &handle);
        ok = ok && heap_is(handle, message);
        hw_scope_close(scope);
    }
    row(message, &context,
        (struct row){
            .operation = "wait",
            .engine = "hw",
            .cycles = worst,
            .object_bytes = (uint32_t)(hw_heap_statistics.copied_bytes + hw_heap_statistics.promoted_bytes),
            .ok = ok,
        });
}
