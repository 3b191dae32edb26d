/* Deserializes and serializes every message of a workload with the units. The results stay in memory for the host. The
 * conformance testee and the differential tests use it. */
#include <stdio.h>

#include "programs/batch/workload.h"
#include "programs/measure/memory_map.h"
#include "units/capability.h"
#include "protobuf/protobuf.h"

/* Rounds up. */
#define ALIGNED(bytes) (((bytes) + BATCH_ALIGNMENT - 1) & ~(BATCH_ALIGNMENT - 1u))

static struct hw_arenas arenas;
static struct hw_protobuf context;

static uint32_t place_of_results(const struct workload *workload) { return ALIGNED(HW_LOAD_BASE + workload->bytes); }

/* Serializes to the end of [output, limit). */
static void back(const struct hw_type *type, hw_handle message, uint32_t output, uint32_t limit,
                 struct batch_result *result) {
    struct hw_bytes bytes = {0};

    context.fallbacks = 0;
    hw_protobuf_write(&context, type, message, hw_pointer(output), limit - output, &bytes);
    result->serialize_status = (uint32_t)context.status;
    result->output = hw_reference(bytes.data);
    result->output_bytes = bytes.length;
    result->serialize_fallbacks = context.fallbacks;
}

static void run(const struct workload *workload, const struct workload_case *item, uint32_t output, uint32_t limit,
                struct batch_result *result) {
    const struct hw_type *type = hw_schema_find(workload_at(workload, item->type));
    hw_scope scope = hw_scope_open();
    hw_handle message;

    *result = (struct batch_result){.deserialize_status = BATCH_NO_TYPE, .serialize_status = BATCH_NOT_RUN};
    if (!type) return;
    hw_arena_reset(&arenas.fixed);
    hw_arena_reset(&arenas.flexible);
    hw_protobuf_clear(&context);
    context.fallbacks = 0;
    bool ok = hw_protobuf_read(&context, type, workload_at(workload, item->message), item->length, &message);

    result->deserialize_status = (uint32_t)context.status;
    result->offset = context.offset;
    result->deserialize_fallbacks = context.fallbacks;
    if (ok) back(type, message, output, limit, result);
    hw_scope_close(scope);
}

int main(void) {
    const struct workload *workload;

    hw_capability_discover();
    hw_arena_init(&arenas.fixed, HW_FIXED_BASE, HW_FIXED_BYTES);
    hw_arena_init(&arenas.flexible, HW_FLEXIBLE_BASE, HW_FLEXIBLE_BYTES);
    workload = workload_open();
    if (!workload) return 2;
    hw_protobuf_open(&context, &arenas);
    struct batch_result *results = hw_pointer(place_of_results(workload));
    uint32_t output = hw_reference(results + workload->count);

    for (uint32_t i = 0; i < workload->count; i++) {
        uint32_t room = ALIGNED(BATCH_GROWTH * workload->cases[i].length + BATCH_MARGIN);
        if (room > BUFFER_LIMIT - output) {
            printf("# no room for the output of case %lu\n", (unsigned long)i);
            return 3;
        }
        run(workload, &workload->cases[i], output, output + room, &results[i]);
        output += room;
    }
    return 0;
}
