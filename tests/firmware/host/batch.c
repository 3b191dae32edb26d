/* The codec over many messages: `batch BLOB` loads a schema, then reads requests from standard input (words:
 * type, max_depth, fixed bytes, flexible bytes, length; then the message). Prints a line for each: status, offset,
 * digest, used bytes of the fixed and of the flexible arena. The codec is called as the fallback of the driver. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "runtime/regions.h"
#include "runtime/schema.h"
#include "units/capability.h"
#include "protobuf/protobuf.h"

struct request {
    uint32_t type, max_depth, fixed, flexible, length;
};

static void answer(const struct request *request, const uint8_t *message) {
    const uint32_t fixed_base = HW_FIXED_BASE + GUARD_BYTES, flexible_base = HW_FLEXIBLE_BASE + GUARD_BYTES;
    const struct hw_type *type = hw_schema_type(request->type);
    struct hw_protobuf context;
    struct hw_arenas heap;
    hw_handle handle = NULL;
    hw_scope scope = hw_scope_open();

    guard_set(fixed_base, request->fixed);
    guard_set(flexible_base, request->flexible);
    hw_arena_init(&heap.fixed, fixed_base, request->fixed);
    hw_arena_init(&heap.flexible, flexible_base, request->flexible);
    hw_protobuf_open(&context, &heap);
    context.max_depth = (uint16_t)request->max_depth;
    bool ok = hw_protobuf_read(&context, type, message, request->length, &handle);

    printf("%d %u %u %u %u\n", context.status, context.offset, ok ? hw_digest(hw_handle_object(handle), type) : 0,
           hw_arena_used(&heap.fixed), hw_arena_used(&heap.flexible));
    guard_check(fixed_base, request->fixed);
    guard_check(flexible_base, request->flexible);
    hw_scope_close(scope);
}

int main(int count, char **arguments) {
    struct request request;

    if (count != 2) return 2;
    memory_map();
    hw_capability_discover();
    enum hw_schema_error error =
        hw_schema_load((void *)(uintptr_t)HW_LOAD_BASE, memory_load(arguments[1], HW_LOAD_BASE, HW_LOAD_BYTES));
    if (error != HW_SCHEMA_OK) {
        printf("%s\n", hw_schema_error_text(error));
        return 4;
    }
    while (fread(&request, sizeof(request), 1, stdin) == 1) {
        /* Exactly as long as the message, so that ASan detects a read beyond it. */
        uint8_t *message = malloc(request.length ? request.length : 1);
        if (!message || fread(message, 1, request.length, stdin) != request.length) return 2;
        answer(&request, message);
        free(message);
    }
    return 0;
}
