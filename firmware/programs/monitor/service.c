#include "programs/monitor/service.h"

#include <string.h>

#include <generated/soc.h>

#include "nanopb/registry.h"
#include "programs/measure/engine.h"
#include "programs/measure/memory_map.h"
#include "packet/body.h"
#include "programs/monitor/bytes.h"
#include "programs/monitor/protocol.h"
#include "programs/monitor/rate.h"
#include "platform/cycles.h"
#include "platform/finish.h"
#include "runtime/registers.h"
#include "runtime/well_known.h"
#include "units/capability.h"
#include "units/command.h"

static const char *last_nanopb_error;
static bool ended;
static int end_code;
static unsigned schema_area; /* index of the place for the next blob */

static enum answer hello(struct packet *response) {
    append(response, PROTOCOL_VERSION);
    append(response, PACKET_BODY_MAX);
    append(response, HW_INFO_VERSION);
    append(response, hw_capability);
    append(response, hw_front_end_present() ? hw_command_info(HW_INFO_SIZES) : 0);
    append(response, (hw_unit_for(HW_CAPABLE_PROTOBUF_DESERIALIZE) ? 1u << ENGINE_HW : 0) | 1u << ENGINE_TABLE |
                         (nanopb_type_count ? 1u << ENGINE_NANOPB : 0));
    append(response, nanopb_schema_id);
    append(response, CONFIG_CLOCK_FREQUENCY);
    append(response, hw_finish_supported());
    return ANSWER_OK;
}

static enum answer layout(struct packet *response) {
    for (unsigned i = 0; i < HW_REGISTERS; i++) append(response, hw_registers[i]);
    append(response, HW_MEMORY_BASE);
    append(response, HW_MEMORY_LIMIT);
    append(response, BUFFER_BASE);
    append(response, BUFFER_LIMIT);
    append(response, engine_arenas.fixed.base);
    append(response, engine_arenas.fixed.limit);
    append(response, engine_arenas.flexible.base);
    append(response, engine_arenas.flexible.limit);
    append(response, hw_schema.base);
    append(response, hw_schema.size);
    return ANSWER_OK;
}

static void empty_arenas(void) {
    hw_arena_reset(&engine_arenas.fixed);
    hw_arena_reset(&engine_arenas.flexible);
}

static enum answer load_schema(const struct packet *request, struct packet *response) {
    uint32_t address = word_at(request, 0), length = word_at(request, 1);
    void *area = hw_pointer(SCHEMA_AREA(schema_area));

    if (!range_within(address, length, BUFFER_BASE, BUFFER_LIMIT)) return ANSWER_BAD_ADDRESS;
    if (length > SCHEMA_AREA_BYTES) return ANSWER_TOO_LARGE;
    memcpy(area, hw_pointer(address), length);
    enum hw_schema_error error = hw_schema_load(area, length);

    if (error != HW_SCHEMA_OK) {
        response->text = (uint8_t)(TEXT_SCHEMA + error);
        return ANSWER_BAD_SCHEMA;
    }
    schema_area ^= 1;
    empty_arenas();
    append(response, hw_schema.base);
    append(response, hw_schema.id);
    append(response, hw_schema.type_count);
    return ANSWER_OK;
}

static enum answer report(const struct engine_result *result, struct packet *response) {
    if (result->error) {
        last_nanopb_error = result->error;
        response->text = TEXT_NANOPB;
    }
    append(response, result->status);
    append(response, result->root);
    append(response, result->fixed_top);
    append(response, result->flexible_top);
    append(response, result->offset);
    append(response, result->cycles);
    append(response, result->cycles_most);
    append(response, result->cycles_first);
    append(response, result->instructions);
    append(response, result->fallbacks);
    append(response, result->counts.read_bytes);
    append(response, result->counts.write_bytes);
    append(response, engine_arenas.fixed.base);
    append(response, engine_arenas.flexible.base);
    append(response, result->counts.busy_cycles);
    append(response, 0);
    return ANSWER_OK;
}

static bool overlaps(uint32_t address, uint32_t length, const struct hw_arena *arena) {
    return length != 0 && address < arena->limit && arena->base < address + length;
}

static enum answer run(const struct packet *packet, struct packet *response) {
    uint32_t flags = word_at(packet, 7);
    struct engine_request request = {
        .engine = word_at(packet, 0),
        .operation = flags & RUN_SERIALIZE ? ENGINE_SERIALIZE : ENGINE_DESERIALIZE,
        .type = word_at(packet, 1),
        .input = hw_pointer(word_at(packet, 2)),
        .length = word_at(packet, 3),
        .max_depth = word_at(packet, 4),
        .warm = word_at(packet, 5),
        .iterations = word_at(packet, 6),
        .reencode = flags & RUN_REENCODE,
    };
    struct engine_result result;

    if (request.iterations == 0 || request.iterations > UINT32_MAX - request.warm || flags > RUN_SERIALIZE)
        return ANSWER_BAD_BODY; /* at most one of the flags may be set */
    if (request.engine > ENGINE_NANOPB || (request.engine == ENGINE_NANOPB && nanopb_type_count == 0))
        return ANSWER_NO_ENGINE;
    /* The input must lie outside the memory that the run writes. */
    if (!range_within(word_at(packet, 2), request.length, HW_MEMORY_BASE, HW_MEMORY_LIMIT) ||
        overlaps(word_at(packet, 2), request.length, &engine_arenas.fixed) ||
        overlaps(word_at(packet, 2), request.length, &engine_arenas.flexible))
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

static enum answer counters(struct packet *response) {
    uint64_t cycles = cycles_long(), instructions = instructions_long();

    append(response, (uint32_t)cycles);
    append(response, (uint32_t)(cycles >> 32));
    append(response, (uint32_t)instructions);
    append(response, (uint32_t)(instructions >> 32));
    append(response, HW_UNIT_KINDS);
    for (uint32_t kind = 0; kind < HW_UNIT_KINDS; kind++)
        for (uint32_t i = 0; i < HW_INFO_COUNTER_STRIDE; i++) append(response, hw_unit_counter(kind, i));
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

    if (number == TEXT_NANOPB && last_nanopb_error)
        answer = last_nanopb_error;
    else if (number >= TEXT_SCHEMA && number < TEXT_NANOPB)
        answer = hw_schema_error_text((enum hw_schema_error)(number - TEXT_SCHEMA));
    response->length = (uint32_t)strlen(answer);
    if (response->length > TEXT_MAX) response->length = TEXT_MAX;
    memcpy(response->body, answer, response->length);
    return ANSWER_OK;
}

/* Bytes of the request's body, by operation. WRITE checks its own length. */
static const uint8_t body_bytes[] = {
    [OPERATION_HELLO] = 4, [OPERATION_READ] = 8, [OPERATION_CHECKSUM] = 8, [OPERATION_LOAD_SCHEMA] = 8,
    [OPERATION_RUN] = 32,  [OPERATION_EXIT] = 4, [OPERATION_TEXT] = 4,     [OPERATION_BAUD] = 4,
};

enum answer service_answer(const struct packet *request, struct packet *response) {
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
