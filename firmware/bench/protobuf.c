/* Suite `protobuf`: every case of the workload by every engine it asks for. */
#include "bench/row.h"
#include "bench/timing.h"
#include "bench/workload.h"
#include "codecs/protobuf/deserialize.h"
#include "measure/engine.h"
#include "runtime/digest.h"
#include "runtime/regions.h"
#include "runtime/schema.h"
#include "units/capability.h"
#include "units/protobuf.h"

static uint32_t type_index(const char *full_name)
{
    const struct hw_type *type = hw_schema_find(full_name);

    for (uint32_t i = 0; i < hw_schema.type_count; i++)
        if (type && hw_schema_type(i) == type)
            return i;
    return hw_schema.type_count; /* no such type */
}

/* Digest of what `table` makes of nanopb's encoding, which lies in the fixed arena. */
static bool nanopb_is(const struct engine_result *result, const struct hw_type *type, uint32_t digest)
{
    struct hw_arenas heap = engine_heap;

    heap.fixed.top = hw_object_round(result->fixed_top);
    hw_arena_reset(&heap.flexible);
    struct hw_table_result decoded = hw_table_deserialize(type, hw_pointer(result->root), result->fixed_top - result->root,
                                                          HW_PROTOBUF_DEFAULT_DEPTH, &heap);

    return decoded.status == HW_STATUS_OK && hw_digest(hw_pointer(decoded.root), type) == digest;
}

static bool result_is(const struct engine_request *request, const struct engine_result *result, uint32_t digest)
{
    const struct hw_type *type = hw_schema_type(request->type);

    if (result->status != HW_STATUS_OK)
        return false;
    if (request->engine == ENGINE_NANOPB)
        return nanopb_is(result, type, digest);
    return hw_digest(hw_pointer(result->root), type) == digest;
}

static void run_case(const struct workload *workload, const struct workload_case *item, enum engine engine)
{
    const char *name = workload_at(workload, item->name);
    struct engine_request request = {
        .engine = engine,
        .type = type_index(workload_at(workload, item->type)),
        .input = workload_at(workload, item->message),
        .length = item->length,
        .max_depth = HW_PROTOBUF_DEFAULT_DEPTH,
        .warm = 1,
        .iterations = item->warm ? item->warm : 1,
    };
    struct engine_result result;

    evict_caches();
    enum engine_problem problem = engine_run(&request, &result);
    struct row row = {
        .suite = "protobuf",
        .name = name,
        .operation = "deserialize",
        .engine = engine_name(engine),
        .model = engine == ENGINE_NANOPB ? "nanopb" : "managed",
        .cycles = result.cycles,
        .cold_cycles = result.cycles_first,
        .instructions = result.instructions,
        .wire_bytes = item->length,
        .object_bytes = result.fixed_top - engine_heap.fixed.base + (result.flexible_top - engine_heap.flexible.base),
        .read_bytes = result.read_bytes,
        .write_bytes = result.written_bytes,
        .fallbacks = result.fallbacks,
        .status = problem == ENGINE_FINE ? result.status : ROW_NO_CODE,
    };
    if (problem != ENGINE_FINE)
        row.object_bytes = 0;
    else if (engine == ENGINE_NANOPB && result.status == HW_STATUS_OK) {
        /* Once more, for the bytes to compare. */
        request.reencode = true;
        if ((problem = engine_run(&request, &result)) != ENGINE_FINE)
            row.status = ROW_NO_ROOM;
    }
    row.ok = problem == ENGINE_FINE && result_is(&request, &result, item->digest);
    row_print(&row);
}

int main(void)
{
    const struct workload *workload;

    hw_capability_discover();
    hw_arena_init(&engine_heap.fixed, HW_FIXED_BASE, HW_FIXED_BYTES);
    hw_arena_init(&engine_heap.flexible, HW_FLEXIBLE_BASE, HW_FLEXIBLE_BYTES);
    workload = workload_open();
    if (!workload)
        return 2;
    for (uint32_t i = 0; i < workload->count; i++)
        for (enum engine engine = 0; engine < ENGINES; engine++)
            if (workload->cases[i].engines >> engine & 1)
                run_case(workload, &workload->cases[i], engine);
    return bench_exit_code();
}
