#include "programs/bench/flight.h"

#include <string.h>

#include "programs/bench/row.h"
#include "protobuf/codec/codec.h"
#include "programs/measure/engine.h"
#include "runtime/heap/safepoint.h"
#include "units/capability.h"
#include "protobuf/protobuf.h"

#define FLIGHT_COMMANDS 8u /* commands in flight at once, each with arenas of its own */
#define STAGGER 2112u      /* in bytes: offset between the beginnings of their arenas, within the shared cache */
/* Rounds that are timed together: the first and the last cost more, because nothing runs beside them. */
#define ROUNDS 16u
#define ROUNDS_LONG 4u /* of messages for which that makes no difference */
#define LONG 1024u     /* in bytes */

/* A part of the engines' arenas, and the command that uses it. */
struct lane {
    struct hw_arenas arenas;
    struct hw_protobuf context;
    hw_scope scope;
    hw_handle message;
    struct hw_protobuf_reading reading;
    struct hw_protobuf_writing writing;
    struct hw_bytes bytes;
    hw_ref root;
    uint32_t output, output_bytes;
};

static struct lane lanes[FLIGHT_COMMANDS];

struct flight {
    const struct hw_type *type;
    const void *input;
    uint32_t length;
    bool serializes;
};

/* Gives a lane its part of an arena. The parts begin at different sets of the shared cache. */
static void share(struct hw_arena *part, const struct hw_arena *whole, uint32_t index) {
    uint32_t bytes = (whole->limit - whole->base) / FLIGHT_COMMANDS;

    hw_arena_init(part, whole->base + index * (bytes + STAGGER), bytes - FLIGHT_COMMANDS * STAGGER);
}

/* Opens a lane. The second half of its fixed arena is the output. To serialize, deserializes the message once. */
static bool open_lane(struct lane *lane, const struct flight *flight, uint32_t index) {
    share(&lane->arenas.fixed, &engine_arenas.fixed, index);
    share(&lane->arenas.flexible, &engine_arenas.flexible, index);
    lane->output_bytes = (lane->arenas.fixed.limit - lane->arenas.fixed.base) / 2;
    lane->output = lane->arenas.fixed.limit - lane->output_bytes;
    lane->arenas.fixed.limit = lane->output;
    hw_protobuf_open(&lane->context, &lane->arenas);
    return !flight->serializes ||
           hw_protobuf_read(&lane->context, flight->type, flight->input, flight->length, &lane->message);
}

static inline bool read_begin(struct lane *lane, const struct flight *flight) {
    hw_arena_reset(&lane->arenas.fixed);
    hw_arena_reset(&lane->arenas.flexible);
    return hw_protobuf_read_begin(&lane->context, flight->type, flight->input, flight->length, &lane->reading);
}

static inline bool read_end(struct lane *lane) { return hw_protobuf_read_end(&lane->reading, &lane->message); }

static inline bool write_begin(struct lane *lane, const struct flight *flight) {
    return hw_protobuf_write_begin(&lane->context, flight->type, lane->message, hw_pointer(lane->output),
                                   lane->output_bytes, &lane->writing);
}

static inline bool write_end(struct lane *lane) { return hw_protobuf_write_end(&lane->writing, &lane->bytes); }

static bool flying(const struct lane *lane, const struct flight *flight) {
    return flight->serializes ? hw_pending_in_flight(&lane->writing.pending) || !lane->context.written_by_unit
                              : hw_pending_in_flight(&lane->reading.pending) || !lane->context.read_by_unit;
}

/* Ends every lane's command and begins its next, `rounds` times. */
static bool turn(const struct flight *flight, uint32_t rounds) {
    const struct flight it = *flight; /* may be in registers */

    if (it.serializes) {
        while (rounds--)
            for (struct lane *lane = lanes; lane < lanes + FLIGHT_COMMANDS; lane++)
                if (!write_end(lane) || !write_begin(lane, &it)) return false;
    } else {
        while (rounds--)
            for (struct lane *lane = lanes; lane < lanes + FLIGHT_COMMANDS; lane++)
                if (!read_end(lane) || !read_begin(lane, &it)) return false;
    }
    return true;
}

/* Runs the commands of all lanes `rounds` times, and measures the total. */
static bool fly(const struct flight *flight, uint32_t rounds, struct timing *took) {
    hw_scope scope = hw_scope_open();
    uint32_t instructions = instructions_now(), start = cycles_now();
    bool ok = true;

    for (uint32_t i = 0; i < FLIGHT_COMMANDS; i++)
        ok = ok && (flight->serializes ? write_begin(&lanes[i], flight) : read_begin(&lanes[i], flight));
    ok = ok && turn(flight, rounds - 1);
    for (uint32_t i = 0; i < FLIGHT_COMMANDS; i++) {
        ok = ok && flying(&lanes[i], flight);
        ok = ok && (flight->serializes ? write_end(&lanes[i]) : read_end(&lanes[i]));
    }
    took->cycles = cycles_now() - start;
    took->instructions = instructions_now() - instructions;
    if (!ok) hw_safepoint_settle(); /* the commands still in flight belong to handles of this scope */
    if (ok && !flight->serializes)  /* their handles end with the scope, but the objects stay */
        for (uint32_t i = 0; i < FLIGHT_COMMANDS; i++) lanes[i].root = hw_reference(hw_handle_object(lanes[i].message));
    hw_scope_close(scope);
    return ok;
}

/* Provides the bytes of the lane's message: the output, or what the unit serializes from it. */
static bool encode(struct lane *lane, const struct flight *flight) {
    hw_scope scope = hw_scope_open();
    bool ok = flight->serializes || hw_protobuf_write(&lane->context, flight->type, hw_handle_new(lane->root),
                                                      hw_pointer(lane->output), lane->output_bytes, &lane->bytes);
    hw_scope_close(scope);
    return ok;
}

/* Returns whether a lane's message is right. Software checks the first lane's message, and the others must equal it. In
 * all layouts but the first, it is only checked by software if it does not serialize to the original bytes. */
static bool lane_is(struct lane *lane, const struct flight *flight, uint32_t digest) {
    if (!encode(lane, flight)) return false;
    if (lane != lanes)
        return lane->bytes.length == lanes->bytes.length &&
               memcmp(lane->bytes.data, lanes->bytes.data, lane->bytes.length) == 0;
    if (hw_reference(layout) != 0 && lane->bytes.length == flight->length &&
        memcmp(lane->bytes.data, flight->input, flight->length) == 0)
        return true;
    if (!flight->serializes) return hw_digest(hw_pointer(lane->root), flight->type) == digest;
    struct hw_protobuf_codec_object decoded = hw_protobuf_codec_read(flight->type, lane->bytes.data, lane->bytes.length,
                                                                     HW_PROTOBUF_DEFAULT_DEPTH, &lane->arenas);

    return decoded.status == HW_STATUS_OK && hw_digest(hw_pointer(decoded.root), flight->type) == digest;
}

static uint32_t unit_of(const struct flight *flight) {
    return hw_unit_kind(flight->serializes ? HW_CAPABLE_PROTOBUF_SERIALIZE : HW_CAPABLE_PROTOBUF_DESERIALIZE);
}

static const char *engine_of(const struct flight *flight) {
    static const char *const names[] = {"hw-x0", "hw-x1", "hw-x2", "hw-x3", "hw-x4", "hw-x5", "hw-x6", "hw-x7"};

    return names[hw_unit_count(unit_of(flight))];
}

static void measure(const struct workload *workload, const struct workload_case *item, const struct flight *flight) {
    uint32_t unit = unit_of(flight);
    const uint32_t rounds = item->length < LONG ? ROUNDS : ROUNDS_LONG, messages = FLIGHT_COMMANDS * rounds;
    struct timing took = {0};
    struct row row = {
        .suite = "protobuf",
        .name = workload_at(workload, item->name),
        .operation = flight->serializes ? "serialize" : "deserialize",
        .engine = engine_of(flight),
        .model = "managed",
        .wire_bytes = item->length,
        .ok = true,
    };

    for (uint32_t i = 0; i < FLIGHT_COMMANDS; i++) row.ok = row.ok && open_lane(&lanes[i], flight, i);
    for (uint32_t i = 0; flight->serializes && i < FLIGHT_COMMANDS; i++)
        memset(hw_pointer(lanes[i].output + lanes[i].output_bytes - flight->length), ENGINE_STALE, flight->length);
    row.ok = row.ok && fly(flight, 2, &took); /* all code of it */
    struct counts counts = counts_now(unit);

    row.ok = row.ok && fly(flight, rounds, &took);
    row.counts = counts_each(counts_since(unit, &counts), messages);
    row.cycles = (took.cycles + messages / 2) / messages;
    row.instructions = took.instructions / messages;
    for (uint32_t i = 0; i < FLIGHT_COMMANDS; i++) {
        row.fallbacks += lanes[i].context.fallbacks;
        row.ok = row.ok && lane_is(&lanes[i], flight, item->digest);
    }
    row_print(&row);
}

void flight_run(const struct workload *workload, const struct workload_case *item, const struct hw_type *type) {
    struct flight flight = {.type = type, .input = workload_at(workload, item->message), .length = item->length};
    hw_scope scope = hw_scope_open();

    measure(workload, item, &flight);
    flight.serializes = true;
    measure(workload, item, &flight);
    hw_scope_close(scope);
}
