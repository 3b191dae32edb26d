#include "measure/engine.h"

#include <string.h>

#include "codecs/nanopb/nanopb.h"
#include "codecs/protobuf/deserialize.h"
#include "platform/cycles.h"
#include "runtime/schema.h"
#include "units/capability.h"
#include "units/protobuf.h"

struct hw_arenas engine_heap;

/* One iteration's counts. */
struct sample {
    uint32_t cycles, instructions;
};

struct run {
    const struct engine_request *request;
    struct engine_result *result;
    const struct hw_type *type;
    const struct nanopb_type *nanopb;
    struct hw_protobuf context;
};

static const char *const names[ENGINES] = {"hw", "table", "nanopb"};

const char *engine_name(enum engine engine)
{
    return (unsigned)engine < ENGINES ? names[engine] : "unknown";
}

static inline struct sample sample_start(void)
{
    struct sample start = {.instructions = instructions_now()};

    start.cycles = cycles_now();
    return start;
}

static inline struct sample sample_end(struct sample start)
{
    uint32_t cycles = cycles_now() - start.cycles;

    return (struct sample){.cycles = cycles, .instructions = instructions_now() - start.instructions};
}

static struct sample run_hw(struct run *run)
{
    const struct engine_request *request = run->request;
    struct engine_result *result = run->result;
    hw_scope scope = hw_scope_open();
    hw_handle handle;

    hw_protobuf_clear(&run->context);
    struct sample sample = sample_start();
    bool ok = hw_protobuf_deserialize(&run->context, run->type, request->input, request->length, &handle);
    sample = sample_end(sample);

    result->root = ok ? hw_reference(hw_handle_object(handle)) : 0;
    result->status = (uint32_t)run->context.status;
    result->offset = run->context.offset;
    hw_scope_close(scope);
    return sample;
}

static struct sample run_table(struct run *run)
{
    const struct engine_request *request = run->request;
    struct sample sample = sample_start();
    struct hw_table_result decoded =
        hw_table_deserialize(run->type, request->input, request->length, request->max_depth, &engine_heap);

    sample = sample_end(sample);
    run->result->root = decoded.root;
    run->result->status = (uint32_t)decoded.status;
    run->result->offset = decoded.offset;
    return sample;
}

static struct sample run_nanopb(struct run *run)
{
    const struct engine_request *request = run->request;
    const char *error = NULL;
    struct sample sample = sample_start();
    void *message = nanopb_decode(run->nanopb, request->input, request->length, &engine_heap.flexible, &error);

    sample = sample_end(sample);
    run->result->root = hw_reference(message);
    run->result->status = message ? HW_STATUS_OK : ENGINE_NANOPB_ERROR;
    run->result->error = error;
    return sample;
}

static struct sample run_once(struct run *run)
{
    hw_arena_reset(&engine_heap.fixed);
    hw_arena_reset(&engine_heap.flexible);
    switch (run->request->engine) {
    case ENGINE_HW:
        return run_hw(run);
    case ENGINE_TABLE:
        return run_table(run);
    default:
        return run_nanopb(run);
    }
}

/* The encoded form of what nanopb decoded, in the fixed arena, which nanopb does not use. */
static bool reencode(struct run *run)
{
    struct hw_arena *arena = &engine_heap.fixed;
    bool ok;
    uint32_t bytes = nanopb_encode(run->nanopb, hw_pointer(run->result->root), hw_pointer(arena->base),
                                   arena->limit - arena->base, &ok);

    run->result->root = arena->base;
    arena->top = arena->base + bytes;
    return ok;
}

static uint32_t counter(uint32_t which)
{
    return hw_unit_counter(HW_UNIT_PROTOBUF_DESERIALIZER, which);
}

static void run_all(struct run *run)
{
    const struct engine_request *request = run->request;
    struct engine_result *result = run->result;
    uint32_t total = request->warm + request->iterations;

    result->cycles = UINT32_MAX;
    for (uint32_t i = 0; i < total; i++) {
        uint32_t read = counter(HW_COUNTER_READ_BYTES), written = counter(HW_COUNTER_WRITTEN_BYTES);
        uint32_t busy = counter(HW_COUNTER_BUSY_CYCLES);
        struct sample sample = run_once(run);

        result->read_bytes = counter(HW_COUNTER_READ_BYTES) - read;
        result->written_bytes = counter(HW_COUNTER_WRITTEN_BYTES) - written;
        result->busy_cycles = counter(HW_COUNTER_BUSY_CYCLES) - busy;
        if (i == 0)
            result->cycles_first = sample.cycles;
        if (i < request->warm)
            continue;
        if (sample.cycles > result->cycles_most)
            result->cycles_most = sample.cycles;
        if (sample.cycles < result->cycles) {
            result->cycles = sample.cycles;
            result->instructions = sample.instructions;
        }
    }
}

enum engine_problem engine_run(const struct engine_request *request, struct engine_result *result)
{
    struct run run = {.request = request, .result = result, .type = hw_schema_type(request->type)};

    memset(result, 0, sizeof(*result));
    if (!run.type)
        return ENGINE_NO_TYPE;
    if (request->engine == ENGINE_NANOPB && !(run.nanopb = nanopb_find(hw_schema_type_name(request->type))))
        return ENGINE_NO_TYPE;
    hw_protobuf_init(&run.context, &engine_heap);
    run.context.max_depth = request->max_depth;
    run_all(&run);
    result->fallbacks = run.context.fallbacks;
    if (request->engine == ENGINE_NANOPB && request->reencode && result->status == HW_STATUS_OK && !reencode(&run))
        return ENGINE_NO_ROOM;
    result->fixed_top = engine_heap.fixed.top;
    result->flexible_top = engine_heap.flexible.top;
    return ENGINE_FINE;
}
