#include "programs/measure/engine.h"

#include <string.h>

#include "protobuf/nanopb/nanopb.h"
#include "nanopb/nanopb.h"
#include "protobuf/codec/codec.h"
#include "protobuf/fields/registry.h"
#include "runtime/schema.h"
#include "units/capability.h"
#include "protobuf/protobuf.h"

#define SLACK 64u

/* Aligned to a line of the data cache. */
__attribute__((aligned(32))) struct hw_arenas engine_arenas;

struct run {
    const struct engine_request *request;
    struct engine_result *result;
    enum engine engine;
    const struct hw_type *type;
    const struct nanopb_type *nanopb;
    const struct engine_peer *peer; /* NULL: one of the machine's own engines */
    const void *of_peer;            /* what it knows of the type */
    const struct hw_fields_type *fields;
    struct hw_protobuf context;
    /* for serializing: the object, where the output goes, and the end of what was written */
    hw_ref object, output;
    uint32_t output_bytes, output_end;
};

/* Without generated code, a program needs nothing of this either. */
#pragma weak hw_fields_types
#pragma weak hw_fields_read
#pragma weak hw_fields_write
#pragma weak hw_fields_fallbacks

static const char *const names[ENGINES] = {ENGINE_NAMES};

const char *engine_name(enum engine engine) {
    const struct engine_peer *peer = engine_peer(engine);

    return peer ? peer->name : (unsigned)engine < ENGINES ? names[engine] : "unknown";
}

/* For managed objects, by the unit or by software, a sample has all that a caller needs: a scope, a handle, a cleared
 * context where there is one. */
static struct sample deserialize_hw(struct run *run) {
    const struct engine_request *request = run->request;
    struct engine_result *result = run->result;
    hw_handle handle;
    struct sample sample = sample_start();
    hw_scope scope = hw_scope_open();

    hw_protobuf_clear(&run->context);
    bool ok = hw_protobuf_read(&run->context, run->type, request->input, request->length, &handle);
    result->root = ok ? hw_reference(hw_handle_object(handle)) : 0;
    hw_scope_close(scope);
    sample = sample_end(sample);
    result->status = (uint32_t)run->context.status;
    result->offset = run->context.offset;
    return sample;
}

static struct sample deserialize_table(struct run *run) {
    const struct engine_request *request = run->request;
    struct sample sample = sample_start();
    hw_scope scope = hw_scope_open();
    struct hw_protobuf_codec_object decoded =
        hw_protobuf_codec_read(run->type, request->input, request->length, request->max_depth, &engine_arenas);

    run->result->root = decoded.root ? hw_reference(hw_handle_object(hw_handle_new(decoded.root))) : 0;
    hw_scope_close(scope);
    sample = sample_end(sample);
    run->result->status = (uint32_t)decoded.status;
    run->result->offset = decoded.offset;
    return sample;
}

static struct sample deserialize_fields(struct run *run) {
    const struct engine_request *request = run->request;
    struct sample sample = sample_start();
    hw_scope scope = hw_scope_open();
    struct hw_protobuf_codec_object decoded =
        hw_fields_read(run->fields, request->input, request->length, request->max_depth, &engine_arenas);

    run->result->root = decoded.root ? hw_reference(hw_handle_object(hw_handle_new(decoded.root))) : 0;
    hw_scope_close(scope);
    sample = sample_end(sample);
    run->result->status = (uint32_t)decoded.status;
    run->result->offset = decoded.offset;
    return sample;
}

static struct sample deserialize_nanopb(struct run *run) {
    const struct engine_request *request = run->request;
    const char *error = NULL;
    struct sample sample = sample_start();
    void *message = nanopb_decode(run->nanopb, request->input, request->length, &engine_arenas.flexible, &error);

    sample = sample_end(sample);
    run->result->root = hw_reference(message);
    run->result->status = message ? HW_STATUS_OK : ENGINE_NANOPB_ERROR;
    run->result->error = error;
    return sample;
}

static struct sample deserialize_hw_nanopb(struct run *run) {
    struct sample sample = sample_start();
    pb_istream_t stream = pb_istream_from_buffer(run->request->input, run->request->length);
    hw_ref taken = hw_arena_take(&engine_arenas.flexible, run->nanopb->size);

    hw_nanopb_allocate_in(&engine_arenas.flexible);
    bool ok = taken && hw_pb_decode(&stream, run->nanopb->fields, hw_pointer(taken));
    sample = sample_end(sample);
    run->result->root = taken;
    run->result->status = ok ? HW_STATUS_OK : ENGINE_NANOPB_ERROR;
    run->result->error = ok ? NULL : PB_GET_ERROR(&stream);
    return sample;
}

/* Stores the result of serializing: the output is [start, start + length) if `status` is OK. */
static void serialized(struct run *run, uint32_t status, hw_ref start, uint32_t length) {
    run->result->status = status;
    run->result->root = start;
    run->output_end = start + length;
}

static struct sample serialize_hw(struct run *run) {
    struct hw_bytes bytes = {0};
    struct sample sample = sample_start();
    hw_scope scope = hw_scope_open();

    hw_protobuf_clear(&run->context);
    hw_protobuf_write(&run->context, run->type, hw_handle_new(run->object), hw_pointer(run->output), run->output_bytes,
                      &bytes);
    hw_scope_close(scope);
    sample = sample_end(sample);
    serialized(run, (uint32_t)run->context.status, hw_reference(bytes.data), bytes.length);
    return sample;
}

static struct sample serialize_table(struct run *run) {
    struct sample sample = sample_start();
    hw_scope scope = hw_scope_open();
    hw_handle message = hw_handle_new(run->object);
    struct hw_protobuf_codec_bytes output = hw_protobuf_codec_write(
        run->type, hw_reference(hw_handle_object(message)), run->request->max_depth, hw_pointer(run->output),
        run->output_bytes, engine_arenas.fixed.base, engine_arenas.flexible.limit);

    hw_scope_close(scope);
    sample = sample_end(sample);
    serialized(run, (uint32_t)output.status, hw_reference(output.start), output.length);
    return sample;
}

static struct sample serialize_fields(struct run *run) {
    struct sample sample = sample_start();
    struct hw_protobuf_codec_bytes output =
        hw_fields_write(run->fields, run->object, run->request->max_depth, hw_pointer(run->output), run->output_bytes,
                        engine_arenas.fixed.base, engine_arenas.flexible.limit);

    sample = sample_end(sample);
    serialized(run, (uint32_t)output.status, hw_reference(output.start), output.length);
    return sample;
}

static struct sample serialize_nanopb(struct run *run) {
    bool ok;
    struct sample sample = sample_start();
    uint32_t bytes =
        nanopb_encode(run->nanopb, hw_pointer(run->object), hw_pointer(run->output), run->output_bytes, &ok);

    sample = sample_end(sample);
    serialized(run, ok ? HW_STATUS_OK : ENGINE_NANOPB_ERROR, run->output, bytes);
    return sample;
}

static struct sample serialize_hw_nanopb(struct run *run) {
    struct sample sample = sample_start();
    pb_ostream_t stream = pb_ostream_from_buffer(hw_pointer(run->output), run->output_bytes);
    bool ok = hw_pb_encode(&stream, run->nanopb->fields, hw_pointer(run->object));

    sample = sample_end(sample);
    serialized(run, ok ? HW_STATUS_OK : ENGINE_NANOPB_ERROR, run->output, (uint32_t)stream.bytes_written);
    return sample;
}

static struct sample deserialize_peer(struct run *run) {
    void *message;
    struct sample sample =
        run->peer->read(run->of_peer, run->request->input, run->request->length, &engine_arenas.flexible, &message);

    run->result->root = hw_reference(message);
    run->result->status = message ? HW_STATUS_OK : ENGINE_REFUSED;
    return sample;
}

static struct sample serialize_peer(struct run *run) {
    struct hw_arena room = {run->output, run->output + run->output_bytes, run->output};
    struct sample sample = run->peer->write(run->of_peer, hw_pointer(run->object), false, &room);

    serialized(run, room.base ? HW_STATUS_OK : ENGINE_REFUSED, room.base, room.top - room.base);
    return sample;
}

/* Returns the number of calls that nanopb or the codec executed in place of hw_pb_decode, hw_pb_encode and the field
 * instructions. */
static uint32_t done_by_software(const struct run *run) {
    return (run->fields ? hw_fields_fallbacks : 0) + hw_nanopb_decodes.software + hw_nanopb_decodes.redone +
           hw_nanopb_encodes.software + hw_nanopb_encodes.redone;
}

static struct sample (*const serialize[ENGINES])(struct run *run) = {serialize_hw, serialize_table, serialize_nanopb,
                                                                     serialize_hw_nanopb, serialize_fields};

static struct sample run_once(struct run *run) {
    static struct sample (*const deserialize[ENGINES])(struct run *) = {
        deserialize_hw, deserialize_table, deserialize_nanopb, deserialize_hw_nanopb, deserialize_fields};

    if (run->request->operation == ENGINE_SERIALIZE)
        return run->peer ? serialize_peer(run) : serialize[run->engine](run);
    hw_arena_reset(&engine_arenas.fixed);
    hw_arena_reset(&engine_arenas.flexible);
    return run->peer ? deserialize_peer(run) : deserialize[run->engine](run);
}

/* Prepares to serialize what was made from the input. The output gets half of what is left of the fixed arena. */
static void output_here(struct run *run) {
    run->object = run->result->root;
    run->output = hw_object_round(engine_arenas.fixed.top);
    run->output_bytes = (engine_arenas.fixed.limit - run->output) / 2 & ~(uint32_t)(HW_OBJECT_ALIGNMENT - 1);
}

/* Makes the objects or the struct to be serialized; the unit makes objects if there is one. */
static bool prepare(struct run *run) {
    hw_arena_reset(&engine_arenas.fixed);
    hw_arena_reset(&engine_arenas.flexible);
    if (run->peer)
        deserialize_peer(run);
    else if (engine_has_structs(run->engine))
        deserialize_nanopb(run);
    else
        deserialize_hw(run);
    output_here(run);
    run->context.fallbacks = 0; /* counts only those of the measured iterations */
    /* Overwrites the output of an earlier run. Some engines write from the start, some from the end. */
    uint32_t stale =
        2 * run->request->length + SLACK < run->output_bytes ? 2 * run->request->length + SLACK : run->output_bytes;

    memset(hw_pointer(run->output), ENGINE_STALE, stale);
    memset(hw_pointer(run->output + run->output_bytes - stale), ENGINE_STALE, stale);
    return run->result->status == HW_STATUS_OK;
}

/* Encodes what the engine has made. Software of nanopb does it for all structs. */
static bool reencode(struct run *run) {
    enum engine engine = engine_has_structs(run->engine) ? ENGINE_NANOPB : run->engine;

    output_here(run);
    serialize[engine](run);
    engine_arenas.fixed.top = run->output_end;
    return run->result->status == HW_STATUS_OK;
}

/* Has a peer write what it has read from the input, or what it reads from its output. */
static bool rewrite(struct run *run) {
    const struct hw_arena *fixed = &engine_arenas.fixed;
    bool serialized = run->request->operation == ENGINE_SERIALIZE;
    hw_ref from = serialized ? hw_object_round(run->output + run->output_bytes) : fixed->base;
    struct hw_arena room = {from, fixed->limit, from};
    void *message = hw_pointer(run->result->root);

    if (serialized)
        run->peer->read(run->of_peer, message, run->output_end - run->result->root, &engine_arenas.flexible, &message);
    if (!message) return false;
    run->peer->write(run->of_peer, message, true, &room);
    run->result->root = room.base;
    run->output_end = room.top;
    return room.base != 0;
}

static uint32_t unit_of(const struct engine_request *request) {
    return hw_unit_kind(request->operation == ENGINE_SERIALIZE ? HW_CAPABLE_PROTOBUF_SERIALIZE
                                                               : HW_CAPABLE_PROTOBUF_DESERIALIZE);
}

static void note_best(struct engine_result *result, struct sample sample, const struct counts *counted) {
    result->cycles = sample.cycles;
    result->instructions = sample.instructions;
    result->counts = *counted;
}

static void run_all(struct run *run) {
    const struct engine_request *request = run->request;
    struct engine_result *result = run->result;
    uint32_t total = request->warm + request->iterations;

    result->cycles = UINT32_MAX;
    for (uint32_t i = 0; i < total; i++) {
        struct counts before = counts_now(unit_of(request));
        struct sample sample = run_once(run);
        struct counts counted = counts_since(unit_of(request), &before);
        bool once = i == 0 && request->once_above && sample.cycles > request->once_above;

        if (i == 0) result->cycles_first = sample.cycles;
        if (i < request->warm && !once) continue;
        if (sample.cycles > result->cycles_most) result->cycles_most = sample.cycles;
        if (sample.cycles < result->cycles) note_best(result, sample, &counted);
        if (once) break;
    }
}

enum engine_problem engine_run(const struct engine_request *request, struct engine_result *result) {
    const struct engine_peer *peer = engine_peer(request->engine);
    uint16_t left_from = peer ? peer->left_from : 0;
    struct run run = {.request = request,
                      .result = result,
                      .engine = left_from ? ENGINE_HW : request->engine,
                      .type = hw_schema_type(request->type),
                      .peer = left_from ? NULL : peer};

    memset(result, 0, sizeof(*result));
    if (!run.type) return ENGINE_NO_TYPE;
    if (engine_has_structs(request->engine) && !(run.nanopb = nanopb_find(hw_schema_type_name(request->type))))
        return ENGINE_NO_TYPE;
    if (run.peer && !(run.of_peer = run.peer->find(hw_schema_type_name(request->type)))) return ENGINE_NO_TYPE;
    if (request->engine == ENGINE_FIELDS &&
        !(hw_fields_types && (run.fields = hw_fields_find(hw_schema_type_name(request->type)))))
        return ENGINE_NO_TYPE;
    hw_protobuf_open(&run.context, &engine_arenas);
    run.context.max_depth = (uint16_t)request->max_depth;
    if (left_from) hw_protobuf_leave_strings(&run.context, left_from, request->input, request->length);
    if (request->operation == ENGINE_SERIALIZE && !prepare(&run)) return ENGINE_BAD_INPUT;
    uint32_t by_software = done_by_software(&run);

    if (request->forget) request->forget();
    run_all(&run);
    result->fallbacks = run.context.fallbacks + done_by_software(&run) - by_software;
    result->flexible_top = engine_arenas.flexible.top;
    bool again = request->reencode && result->status == HW_STATUS_OK;

    if (again && !(run.peer ? rewrite(&run) : reencode(&run))) return ENGINE_NO_ROOM;
    result->fixed_top =
        request->operation == ENGINE_SERIALIZE || (run.peer && again) ? run.output_end : engine_arenas.fixed.top;
    return ENGINE_FINE;
}
