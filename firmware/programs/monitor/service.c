#include "programs/monitor/service.h"

#include <string.h>

#include <generated/soc.h>

#include "nanopb/registry.h"
#include "programs/measure/engine.h"
#include "programs/measure/memory_map.h"
#include "programs/monitor/server.h"
#include "packet/body.h"
#include "records/monitor.h"
#include "platform/cycles.h"
#include "platform/finish.h"
#include "runtime/crc32.h"
#include "runtime/registers.h"
#include "units/capability.h"

static const char *last_nanopb_error;
static bool ended;
static int end_code;
static unsigned schema_area; /* index of the place for the next blob */

/* WRITE checks the length of its body; for the operations below the caller has. */
static enum answer write_memory(const struct packet *request) {
    if (request->length <= 4 || request->length - 4 > MONITOR_MAX_DATA) return ANSWER_BAD_BODY;
    uint32_t address = word_at(request, 0), length = request->length - 4;

    if (!range_within(address, length, BUFFER_BASE, BUFFER_LIMIT)) return ANSWER_BAD_ADDRESS;
    memcpy(hw_pointer(address), request->body + 4, length);
    return ANSWER_OK;
}

static enum answer read_memory(const struct packet *request, struct packet *response) {
    struct monitor_range range;

    take_record(request, &range, sizeof range);
    if (range.length == 0 || range.length > MONITOR_MAX_DATA) return ANSWER_BAD_BODY;
    if (!range_within(range.address, range.length, HW_MEMORY_BASE, HW_MEMORY_LIMIT)) return ANSWER_BAD_ADDRESS;
    append_record(response, hw_pointer(range.address), range.length);
    return ANSWER_OK;
}

static enum answer checksum(const struct packet *request, struct packet *response) {
    struct monitor_range range;

    take_record(request, &range, sizeof range);
    if (!range_within(range.address, range.length, HW_MEMORY_BASE, HW_MEMORY_LIMIT)) return ANSWER_BAD_ADDRESS;
    append(response, hw_crc32(0, hw_pointer(range.address), range.length));
    return ANSWER_OK;
}

static enum answer hello(struct packet *response) {
    const struct monitor_hello hello = {
        .protocol = MONITOR_PROTOCOL,
        .max_body = PACKET_BODY_MAX,
        .interface = HW_INFO_VERSION,
        .capability = hw_capability,
        .sizes = hw_front_end_present() ? hw_command_info(HW_INFO_SIZES) : 0,
        .engines = (hw_unit_for(HW_CAPABLE_PROTOBUF_DESERIALIZE) ? 1u << ENGINE_HW : 0) | 1u << ENGINE_TABLE |
                   (nanopb_type_count ? 1u << ENGINE_NANOPB : 0) | ((1u << engine_peer_count) - 1) << ENGINES,
        .nanopb_schema = nanopb_schema_id,
        .clock_hz = CONFIG_CLOCK_FREQUENCY,
        .simulated = hw_finish_supported()};

    append_record(response, &hello, sizeof hello);
    return ANSWER_OK;
}

static enum answer layout(struct packet *response) {
    struct monitor_layout layout = {.memory_base = HW_MEMORY_BASE,
                                    .memory_limit = HW_MEMORY_LIMIT,
                                    .buffer_base = BUFFER_BASE,
                                    .buffer_limit = BUFFER_LIMIT,
                                    .fixed_base = engine_arenas.fixed.base,
                                    .fixed_limit = engine_arenas.fixed.limit,
                                    .flexible_base = engine_arenas.flexible.base,
                                    .flexible_limit = engine_arenas.flexible.limit,
                                    .schema = hw_schema.base,
                                    .schema_size = hw_schema.size};

    _Static_assert(sizeof layout.registers == sizeof hw_registers, "the runtime registers");
    memcpy(layout.registers, hw_registers, sizeof layout.registers);
    append_record(response, &layout, sizeof layout);
    return ANSWER_OK;
}

static void empty_arenas(void) {
    hw_arena_reset(&engine_arenas.fixed);
    hw_arena_reset(&engine_arenas.flexible);
}

static enum answer load_schema(const struct packet *request, struct packet *response) {
    void *area = hw_pointer(SCHEMA_AREA(schema_area));
    struct monitor_range range;

    take_record(request, &range, sizeof range);
    if (!range_within(range.address, range.length, BUFFER_BASE, BUFFER_LIMIT)) return ANSWER_BAD_ADDRESS;
    if (range.length > SCHEMA_AREA_BYTES) return ANSWER_TOO_LARGE;
    memcpy(area, hw_pointer(range.address), range.length);
    enum hw_schema_error error = hw_schema_load(area, range.length);

    if (error != HW_SCHEMA_OK) {
        response->text = (uint8_t)(MONITOR_TEXT_SCHEMA + error);
        return ANSWER_BAD_SCHEMA;
    }
    schema_area ^= 1;
    empty_arenas();
    const struct monitor_schema loaded = {hw_schema.base, hw_schema.id, hw_schema.type_count};

    append_record(response, &loaded, sizeof loaded);
    return ANSWER_OK;
}

static enum answer report(const struct engine_result *result, struct packet *response) {
    if (result->error) {
        last_nanopb_error = result->error;
        response->text = MONITOR_TEXT_NANOPB;
    }
    const struct monitor_run run = {.result = result->status,
                                    .root = result->root,
                                    .fixed_top = result->fixed_top,
                                    .flexible_top = result->flexible_top,
                                    .offset = result->offset,
                                    .cycles = result->cycles,
                                    .cycles_most = result->cycles_most,
                                    .cycles_first = result->cycles_first,
                                    .instret = result->instructions,
                                    .fallbacks = result->fallbacks,
                                    .read_bytes = result->counts.read_bytes,
                                    .write_bytes = result->counts.write_bytes,
                                    .fixed_start = engine_arenas.fixed.base,
                                    .flexible_start = engine_arenas.flexible.base,
                                    .busy_cycles = result->counts.busy_cycles};

    append_record(response, &run, sizeof run);
    return ANSWER_OK;
}

static bool overlaps(uint32_t address, uint32_t length, const struct hw_arena *arena) {
    return length != 0 && address < arena->limit && arena->base < address + length;
}

static enum answer run(const struct packet *packet, struct packet *response) {
    struct monitor_run_request given;

    take_record(packet, &given, sizeof given);
    struct engine_request request = {
        .engine = given.engine,
        .operation = given.flags & RUN_SERIALIZE ? ENGINE_SERIALIZE : ENGINE_DESERIALIZE,
        .type = given.type,
        .input = hw_pointer(given.input),
        .length = given.length,
        .max_depth = given.max_depth,
        .warm = given.warm,
        .iterations = given.iterations,
        .reencode = given.flags & RUN_REENCODE,
    };
    struct engine_result result;

    if (request.iterations == 0 || request.iterations > UINT32_MAX - request.warm || given.flags > RUN_SERIALIZE)
        return ANSWER_BAD_BODY; /* at most one of the flags may be set */
    if ((request.engine > ENGINE_NANOPB && !engine_peer(request.engine)) ||
        (request.engine == ENGINE_NANOPB && nanopb_type_count == 0))
        return ANSWER_NO_ENGINE;
    /* The input must lie outside the memory that the run writes. */
    if (!range_within(given.input, request.length, HW_MEMORY_BASE, HW_MEMORY_LIMIT) ||
        overlaps(given.input, request.length, &engine_arenas.fixed) ||
        overlaps(given.input, request.length, &engine_arenas.flexible))
        return ANSWER_BAD_ADDRESS;
    if (hw_schema.base == 0) return ANSWER_NO_SCHEMA;
    switch (engine_run(&request, &result)) {
        case ENGINE_FINE:
        case ENGINE_BAD_INPUT: /* result.status says why there was nothing to serialize */
            return report(&result, response);
        case ENGINE_NO_TYPE:
            return ANSWER_NO_TYPE;
        default:
            return ANSWER_TOO_LARGE;
    }
}

_Static_assert(COUNTERS_OF_KIND == HW_INFO_COUNTER_STRIDE, "the counters of a kind of unit");

static enum answer counters(struct packet *response) {
    uint64_t cycles = cycles_long(), instructions = instructions_long();

    const struct monitor_counters counters = {(uint32_t)cycles, (uint32_t)(cycles >> 32), (uint32_t)instructions,
                                              (uint32_t)(instructions >> 32), HW_UNIT_KINDS};

    append_record(response, &counters, sizeof counters);
    for (uint32_t kind = 0; kind < HW_UNIT_KINDS; kind++)
        for (uint32_t i = 0; i < COUNTERS_OF_KIND; i++) append(response, hw_unit_counter(kind, i));
    return ANSWER_OK;
}

static enum answer end(const struct packet *request) {
    if (!hw_finish_supported()) return ANSWER_NOT_SUPPORTED;
    if (word_at(request, 0) > 255) return ANSWER_BAD_BODY;
    end_code = (int)word_at(request, 0);
    ended = true;
    return ANSWER_OK;
}

static enum answer text(const struct packet *request, struct packet *response) {
    uint32_t number = word_at(request, 0);
    const char *answer = "no such text";

    if (number == MONITOR_TEXT_NANOPB && last_nanopb_error)
        answer = last_nanopb_error;
    else if (number >= MONITOR_TEXT_SCHEMA && number < MONITOR_TEXT_NANOPB)
        answer = hw_schema_error_text((enum hw_schema_error)(number - MONITOR_TEXT_SCHEMA));
    response->length = (uint32_t)strlen(answer);
    if (response->length > MONITOR_TEXT_MAX) response->length = MONITOR_TEXT_MAX;
    memcpy(response->body, answer, response->length);
    return ANSWER_OK;
}

/* Bytes of the request's body, by operation. WRITE checks its own length. */
static const uint8_t body_bytes[] = {
    [OPERATION_HELLO] = 4,
    [OPERATION_READ] = sizeof(struct monitor_range),
    [OPERATION_CHECKSUM] = sizeof(struct monitor_range),
    [OPERATION_LOAD_SCHEMA] = sizeof(struct monitor_range),
    [OPERATION_RUN] = sizeof(struct monitor_run_request),
    [OPERATION_EXIT] = 4,
    [OPERATION_TEXT] = 4,
    [OPERATION_BAUD] = 4,
};

static enum answer answer(struct server *server, const struct packet *request, struct packet *response) {
    (void)server;
    if (request->operation != OPERATION_WRITE && request->operation < sizeof(body_bytes) &&
        request->length != body_bytes[request->operation])
        return request->operation == 0 ? ANSWER_UNKNOWN_OPERATION : ANSWER_BAD_BODY;
    switch (request->operation) {
        case OPERATION_HELLO:
            return hello(response);
        case OPERATION_LAYOUT:
            return layout(response);
        case OPERATION_WRITE:
            return write_memory(request);
        case OPERATION_READ:
            return read_memory(request, response);
        case OPERATION_CHECKSUM:
            return checksum(request, response);
        case OPERATION_LOAD_SCHEMA:
            return load_schema(request, response);
        case OPERATION_RUN:
            return run(request, response);
        case OPERATION_COUNTERS:
            return counters(response);
        case OPERATION_RESET:
            empty_arenas();
            return ANSWER_OK;
        case OPERATION_EXIT:
            return end(request);
        case OPERATION_TEXT:
            return text(request, response);
        case OPERATION_BAUD:
            return rate_propose(request, response);
        default:
            return ANSWER_UNKNOWN_OPERATION;
    }
}

void service_init(void) {
    hw_capability_discover();
    hw_well_known_init();
    hw_registers_publish();
    hw_arena_init(&engine_arenas.fixed, HW_FIXED_BASE, HW_FIXED_BYTES);
    hw_arena_init(&engine_arenas.flexible, HW_FLEXIBLE_BASE, HW_FLEXIBLE_BYTES);
}

bool service_ended(int *code) {
    *code = end_code;
    return ended;
}

void link_take(uint8_t byte, void (*put)(uint8_t byte)) {
    static struct server server = {.answer = answer};

    if (server_take(&server, byte, put)) rate_answered(server.request.operation);
}
