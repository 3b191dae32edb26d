/* Runs the codec over many messages. `codec BLOB` loads a schema, writes its address, the runtime registers
 * and the address of the arenas, then reads requests from standard input and answers each on standard output
 * (records/codec.h). Deserialization goes through the driver, whose fallback is the codec; the serializer's twin is
 * called directly. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "protobuf/codec/codec.h"
#include "memory.h"
#include "records/codec.h"
#include "runtime/crc32.h"
#include "runtime/regions.h"
#include "runtime/registers.h"
#include "runtime/schema.h"
#include "units/capability.h"
#include "protobuf/protobuf.h"

#define BASE (HW_FIXED_BASE + GUARD_BYTES)

static uint64_t state = 1;

static uint32_t dice(uint32_t sides) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state >> 33) % sides;
}

/* Overwrites one to four words in the arenas: by values near the previous ones, by references, or by anything. */
static void damage(const struct hw_arenas *heap) {
    for (uint32_t i = 1 + dice(4); i > 0; i--) {
        const struct hw_arena *arena = dice(3) && hw_arena_used(&heap->flexible) ? &heap->flexible : &heap->fixed;
        uint32_t *word = hw_pointer(arena->base + 4 * dice(hw_arena_used(arena) / 4));

        switch (dice(4)) {
            case 0:
                *word ^= 1u << dice(32);
                break;
            case 1:
                *word = BASE + 8 * dice((heap->flexible.limit - BASE) / 8);
                break;
            case 2:
                *word = dice(2) ? dice(64) : -dice(64);
                break;
            default:
                *word = *(uint32_t *)hw_pointer(heap->fixed.base + 4 * dice(hw_arena_used(&heap->fixed) / 4));
        }
    }
}

static void put(const void *bytes, size_t size) {
    if (size != 0 && fwrite(bytes, 1, size, stdout) != size) exit(2);
}

static uint32_t checksum(const struct hw_arenas *heap) {
    return hw_crc32(hw_crc32(0, hw_pointer(heap->fixed.base), hw_arena_used(&heap->fixed)),
                    hw_pointer(heap->flexible.base), hw_arena_used(&heap->flexible));
}

/* Serializes into an output of exactly the given size, so that ASan sees a byte too many. */
static uint8_t *serialize(const struct codec_request *request, const struct hw_arenas *heap,
                          struct codec_answer *answer, const uint8_t **start) {
    uint8_t *output = malloc(request->output ? request->output : 1);

    if (request->flags & CODEC_DAMAGE) damage(heap);
    uint32_t before = checksum(heap);
    struct hw_protobuf_codec_bytes written =
        hw_protobuf_codec_write(hw_schema_type(request->type), answer->root, request->max_depth, output,
                                request->output, BASE, heap->flexible.limit);

    if (checksum(heap) != before || (written.status != HW_STATUS_OK && (written.start || written.length)) ||
        (written.status == HW_STATUS_OK && written.start + written.length != output + request->output)) {
        fprintf(stderr, "the serializer has changed an object, or answers what it must not\n");
        exit(3);
    }
    answer->serialized = (uint32_t)written.status;
    answer->at = written.at;
    answer->length = written.length;
    *start = written.start;
    return output;
}

static void run(const struct codec_request *request, const uint8_t *message) {
    struct codec_answer answer = {0};
    struct hw_protobuf context;
    struct hw_arenas heap;
    hw_handle handle = NULL;
    hw_scope scope = hw_scope_open();
    const uint8_t *start = NULL;
    uint8_t *output = NULL;

    guard_set(BASE, request->fixed + request->flexible);
    hw_arena_init(&heap.fixed, BASE, request->fixed);
    hw_arena_init(&heap.flexible, BASE + request->fixed, request->flexible);
    hw_protobuf_open(&context, &heap);
    context.max_depth = (uint16_t)request->max_depth;
    if (hw_protobuf_read(&context, hw_schema_type(request->type), message, request->length, &handle))
        answer.root = hw_reference(hw_handle_object(handle));
    answer.status = (uint32_t)context.status;
    answer.offset = context.offset;
    answer.fixed = hw_arena_used(&heap.fixed);
    answer.flexible = hw_arena_used(&heap.flexible);
    if (answer.root && request->flags & CODEC_SERIALIZE) output = serialize(request, &heap, &answer, &start);
    put(&answer, sizeof(answer));
    if (request->flags & CODEC_DUMP) {
        put(hw_pointer(heap.fixed.base), answer.fixed);
        put(hw_pointer(heap.flexible.base), answer.flexible);
    }
    put(start, answer.length);
    guard_check(BASE, request->fixed + request->flexible);
    free(output);
    hw_scope_close(scope);
}

int main(int count, char **arguments) {
    struct codec_request request;

    if (count != 2) return 2;
    memory_map();
    hw_capability_discover();
    enum hw_schema_error error =
        hw_schema_load(hw_pointer(HW_LOAD_BASE), memory_load(arguments[1], HW_LOAD_BASE, HW_LOAD_BYTES));
    if (error != HW_SCHEMA_OK) {
        fprintf(stderr, "%s\n", hw_schema_error_text(error));
        return 4;
    }
    struct codec_start begun = {.schema = hw_schema.base, .arenas = BASE};

    _Static_assert(sizeof begun.registers == sizeof hw_registers, "the runtime registers");
    memcpy(begun.registers, hw_registers, sizeof hw_registers);
    put(&begun, sizeof begun);
    while (fread(&request, sizeof(request), 1, stdin) == 1) {
        uint8_t *message = malloc(request.length ? request.length : 1);
        if (!message || fread(message, 1, request.length, stdin) != request.length) return 2;
        run(&request, message);
        free(message);
    }
    return 0;
}
