/* Messages into the heap: both ways of adoption, the cost of collecting unit-built and other objects, a small heap
 * with everything in it, and a collection while a command is in flight. */
#include <stdio.h>
#include <string.h>

#include "programs/bench/heap.h"
#include "runtime/regions.h"
#include "runtime/registers.h"

#define MB (1u << 20)
#define ADOPTED 100u
#define SURVIVING (64u << 10) /* bytes of graphs that one collection copies */
#define MAX_GRAPHS 512u
#define KEPT 16u
#define TURNS 300u
#define WAITS 2 /* the second has warm caches; the longer wait is reported */

static void row(const struct heap_message *message, const char *operation, const char *engine, uint32_t cycles,
                uint32_t object_bytes, uint32_t collections, const struct hw_protobuf *context, bool ok) {
    const bool by_unit = engine[0] == 'h'; /* hw, hw-array ...: software takes no part */

    heap_row((struct row){
        .name = message->name,
        .operation = operation,
        .engine = engine,
        .cycles = cycles,
        .wire_bytes = message->length,
        .object_bytes = object_bytes,
        .fallbacks = by_unit ? context->fallbacks : 0,
        .collections = collections,
        .status = (uint32_t)context->status,
        .ok = ok && context->status == HW_STATUS_OK && context->read_by_unit == by_unit,
    });
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
    row(message, "adopt", engine, timing.cycles / ADOPTED, 0, 0, &context,
        context.status == HW_STATUS_OK && collections() == 0 && heap_is(last, message));
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
        context.read_by_unit = context.read_by_unit && by_unit;
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
    row(message, "survive", engine, pause, bytes, 1, &context, ok);
}

/* Runs everything in a heap that is deliberately small. KEPT messages are live, and each is replaced in turn. */
static void end_to_end(const struct heap_message *message, const char *engine, bool by_unit, enum hw_adoption way) {
    struct hw_protobuf context;

    heap_begin((struct hw_heap_options){.bytes = 192u << 10, .eden_bytes = 32u << 10, .survivor_bytes = 16u << 10});
    hw_adopt_way(way);
    hw_protobuf_open_heap(&context);
    context.read_by_unit = context.read_by_unit && by_unit;
    hw_scope scope = hw_scope_open();
    hw_handle keep = hw_new_array(hw_pointer(hw_registers[HW_REG_KLASS_OBJECT_ARRAY]), KEPT);
    uint32_t start = cycles_now();
    bool ok = keep != NULL;

    for (uint32_t i = 0; i < TURNS && ok; i++) {
        hw_scope inner = hw_scope_open();
        hw_handle handle;

        if ((ok = hw_protobuf_read(&context, message->type, message->input, message->length, &handle)))
            hw_set_element(keep, i % KEPT, handle);
        hw_scope_close(inner);
    }
    uint32_t cycles = cycles_now() - start, collected = collections();

    for (uint32_t i = 0; i < KEPT && ok; i++) {
        hw_scope inner = hw_scope_open();

        ok = heap_is(hw_get_element(keep, i), message);
        hw_scope_close(inner);
    }
    row(message, "end to end", engine, cycles / TURNS, 0, collected, &context, ok && collected);
    hw_scope_close(scope);
}

void heap_traffic(const struct heap_message *message) {
    adopt(message, "hw-arenas", HW_ADOPT_BUFFER, true);
    adopt(message, "hw-buffer", HW_ADOPT_BUFFER, false);
    adopt(message, "hw-array", HW_ADOPT_ARRAY, false);
    survive(message, "hw", true, false);
    survive(message, "table", false, false);
    survive(message, "clone", false, true);
    end_to_end(message, "hw", true, HW_ADOPT_BUFFER);
    end_to_end(message, "hw-array", true, HW_ADOPT_ARRAY);
    end_to_end(message, "table", false, HW_ADOPT_BUFFER);
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
        ok = ok && command.state == HW_PENDING_IN_FLIGHT;
        hw_collect(false);
        if (hw_heap_statistics.longest_wait > worst) worst = hw_heap_statistics.longest_wait;
        /* The collection settled the command and moved the message. */
        ok = ok && command.state == HW_PENDING_DONE && hw_protobuf_read_end(&command, &handle);
        ok = ok && heap_is(handle, message);
        hw_scope_close(scope);
    }
    heap_row((struct row){
        .name = message->name,
        .operation = "wait",
        .engine = "hw",
        .cycles = worst,
        .wire_bytes = message->length,
        .object_bytes = (uint32_t)(hw_heap_statistics.copied_bytes + hw_heap_statistics.promoted_bytes),
        .fallbacks = context.fallbacks,
        .status = (uint32_t)context.status,
        .ok = ok,
    });
}
