/* What a command in flight adds to a pause: a collection is requested right after a message was submitted. */
#include "programs/bench/heap.h"
#include "programs/bench/timing.h"

#define MB (1u << 20)
#define TURNS 2 /* the second has warm caches; the longer wait is reported */

void heap_wait(const struct heap_message *message) {
    struct hw_protobuf context;
    struct hw_protobuf_reading command;
    uint32_t worst = 0;
    bool ok = true;

    heap_begin(
        (struct hw_heap_options){.bytes = 24 * MB, .eden_bytes = 4 * MB, .unit_bytes = MB, .large_bytes = 8 * MB});
    hw_protobuf_open_heap(&context);
    for (int turn = 0; turn < TURNS && ok; turn++) {
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
