/* Suite `protobuf`: every case of the workload, in both directions, by every engine that it asks for. */
#include <string.h>

#include "programs/bench/flight.h"
#include "programs/bench/row.h"
#include "protobuf/codec/codec.h"
#include "programs/measure/engine.h"
#include "runtime/regions.h"
#include "runtime/schema.h"
#include "units/capability.h"
#include "protobuf/nanopb/tables.h"
#include "protobuf/protobuf.h"

#define ONCE_ABOVE 2000000u      /* in cycles; for longer runs it makes no difference that the caches were empty */
#define NATIVE_TABLES (1u << 17) /* in bytes; a group has up to 30 types with up to a hundred fields each */

static uint32_t type_index(const char *full_name) {
    const struct hw_type *type = hw_schema_find(full_name);

    for (uint32_t i = 0; i < hw_schema.type_count; i++)
        if (type && hw_schema_type(i) == type) return i;
    return hw_schema.type_count; /* no such type */
}

/* Returns whether `table` parses the bytes root .. fixed_top, which lie in the fixed arena, into the right message. */
static bool bytes_are(const struct engine_result *result, const struct hw_type *type, uint32_t digest) {
    struct hw_arenas heap = engine_arenas;

    heap.fixed.top = hw_object_round(result->fixed_top);
    struct hw_protobuf_codec_object decoded = hw_protobuf_codec_read(
        type, hw_pointer(result->root), result->fixed_top - result->root, HW_PROTOBUF_DEFAULT_DEPTH, &heap);

    return decoded.status == HW_STATUS_OK && hw_digest(hw_pointer(decoded.root), type) == digest;
}

/* Returns whether the output equals the input, as it mostly does. Otherwise only a decoder can tell whether it is
 * right. */
static bool bytes_came_back(const struct engine_request *request, const struct engine_result *result) {
    return result->fixed_top - result->root == request->length &&
           memcmp(hw_pointer(result->root), request->input, request->length) == 0;
}

/* In all layouts but the first, returns whether the objects serialize to the original bytes. A digest would take longer
 * than everything else. */
static bool makes_bytes_again(const struct engine_request *request, const struct engine_result *result,
                              const struct hw_type *type) {
    uint32_t from = hw_object_round(result->fixed_top), room = (engine_arenas.fixed.limit - from) / 2;
    struct hw_protobuf context;
    struct hw_bytes bytes;

    if (hw_reference(layout) == 0) return false;
    hw_scope scope = hw_scope_open();

    hw_protobuf_open(&context, &engine_arenas);
    hw_protobuf_leave_strings(&context, 0, request->input, request->length); /* writes what was left there */
    bool same = hw_protobuf_write(&context, type, hw_handle_new(result->root), hw_pointer(from), room, &bytes) &&
                bytes.length == request->length && memcmp(bytes.data, request->input, bytes.length) == 0;

    hw_scope_close(scope);
    return same;
}

static bool result_is(const struct engine_request *request, const struct engine_result *result, uint32_t digest) {
    const struct hw_type *type = hw_schema_type(request->type);

    if (result->status != HW_STATUS_OK) return false;
    if (engine_has_structs(request->engine) || request->reencode || request->operation == ENGINE_SERIALIZE)
        return bytes_came_back(request, result) || bytes_are(result, type, digest);
    return makes_bytes_again(request, result, type) || hw_digest(hw_pointer(result->root), type) == digest;
}

/* Runs once more, to get bytes to compare. */
static void encode_again(struct engine_request *request, struct engine_result *result, struct row *row) {
    request->reencode = true;
    if (engine_run(request, result) != ENGINE_FINE) row->status = ROW_NO_ROOM;
}

static uint32_t status_of(enum engine_problem problem, const struct engine_result *result) {
    return problem == ENGINE_FINE        ? result->status
           : problem == ENGINE_BAD_INPUT ? ROW_NO_INPUT
           : problem == ENGINE_NO_ROOM   ? ROW_NO_ROOM
                                         : ROW_NO_CODE;
}

static void run_case(const struct workload *workload, const struct workload_case *item, enum engine engine,
                     enum engine_operation operation) {
    const struct engine_peer *peer = engine_peer(engine);
    const bool managed = !engine_has_structs(engine) && (!peer || peer->left_from);
    struct engine_request request = {
        .engine = engine,
        .operation = operation,
        .type = type_index(workload_at(workload, item->type)),
        .input = workload_at(workload, item->message),
        .length = item->length,
        .max_depth = HW_PROTOBUF_DEFAULT_DEPTH,
        .warm = 1,
        .once_above = ONCE_ABOVE,
        .iterations = item->warm ? item->warm : 1,
        .forget = evict_caches,
        .reencode = peer && !managed,
    };
    struct engine_result result;
    enum engine_problem problem = engine_run(&request, &result);
    struct row row = {
        .suite = "protobuf",
        .name = workload_at(workload, item->name),
        .operation = operation == ENGINE_SERIALIZE ? "serialize" : "deserialize",
        .engine = engine_name(engine),
        .model = managed ? "managed"
                 : peer  ? "upb"
                         : "nanopb",
        .cycles = result.cycles,
        .cold_cycles = result.cycles_first,
        .instructions = result.instructions,
        .wire_bytes = item->length,
        .counts = result.counts,
        .fallbacks = result.fallbacks,
        .status = status_of(problem, &result),
    };
    if (problem == ENGINE_FINE)
        row.object_bytes =
            engine_arenas.fixed.top - engine_arenas.fixed.base + (result.flexible_top - engine_arenas.flexible.base);
    if (row.status == HW_STATUS_OK && engine_has_structs(engine) && operation == ENGINE_DESERIALIZE)
        encode_again(&request, &result, &row);
    row.ok = row.status == HW_STATUS_OK && result_is(&request, &result, item->digest);
    row_print(&row);
}

/* Copies a message of Cap'n Proto. It needs no more than that: the lower bound of "Datacenter Tax Cuts" in both
 * directions. */
static void run_copy(const struct workload *workload, const struct workload_case *item) {
    void *to = hw_pointer(engine_arenas.fixed.base);
    const void *from = workload_at(workload, item->message);
    uint32_t cycles = 0;

    for (uint32_t i = 0; i < 2; i++) { /* the second time counts */
        uint32_t start = cycles_now();
        memcpy(to, from, item->length);
        cycles = cycles_now() - start;
    }
    struct row row = {
        .suite = "protobuf",
        .name = workload_at(workload, item->name),
        .operation = "deserialize",
        .engine = "capnp",
        .model = "capnp",
        .cycles = cycles,
        .wire_bytes = item->length,
        .object_bytes = item->length,
        .ok = memcmp(to, from, item->length) == 0,
    };

    row_print(&row);
    row.operation = "serialize";
    row_print(&row);
}

int main(void) {
    static _Alignas(HW_ADT_ALIGNMENT) uint8_t native_tables[NATIVE_TABLES];
    const struct workload *workload;

    hw_capability_discover();
    hw_arena_init(&engine_arenas.fixed, HW_FIXED_BASE, HW_FIXED_BYTES);
    hw_arena_init(&engine_arenas.flexible, HW_FLEXIBLE_BASE, HW_FLEXIBLE_BYTES);
    hw_nanopb_tables_init(native_tables, sizeof(native_tables));
    workload = workload_open();
    if (!workload) return 2;
    for (uint32_t i = 0; i < workload->count; i++) {
        for (enum engine engine = 0; engine < ENGINES + engine_peer_count; engine++)
            if (workload->cases[i].engines >> engine & 1) {
                const struct engine_peer *peer = engine_peer(engine);

                run_case(workload, &workload->cases[i], engine, ENGINE_DESERIALIZE);
                if (!peer || peer->writes) run_case(workload, &workload->cases[i], engine, ENGINE_SERIALIZE);
            }
        const struct workload_case *item = &workload->cases[i];
        const struct hw_type *type = hw_schema_find(workload_at(workload, item->type));

        if (item->engines & WORKLOAD_CAPNP) run_copy(workload, item);
        if (item->engines & WORKLOAD_FLIGHT && type) flight_run(workload, item, type);
    }
    return bench_exit_code();
}
