/* One message, deserialized or serialized again and again by one engine, and what it took.
 * The monitor and the protobuf bench run through here, so their figures agree. */
#ifndef HW_PROGRAMS_MEASURE_ENGINE_H
#define HW_PROGRAMS_MEASURE_ENGINE_H

#include <stdbool.h>

#include "programs/measure/counts.h"
#include "runtime/arena.h"
#include "runtime/object.h"

enum engine {
    ENGINE_HW,     /* the driver's public API */
    ENGINE_TABLE,  /* its software twin */
    ENGINE_NANOPB,
    ENGINE_HW_NANOPB, /* nanopb's structs by the units: hw_pb_decode and hw_pb_encode */
    ENGINES,
};

enum engine_operation {
    ENGINE_DESERIALIZE,
    ENGINE_SERIALIZE, /* of the objects, or the struct, that were made of the input once */
};

/* Engines whose messages are nanopb's structs. */
static inline bool engine_has_structs(enum engine engine)
{
    return engine == ENGINE_NANOPB || engine == ENGINE_HW_NANOPB;
}

/* What engine_result.status is when nanopb fails, which has no codes. */
#define ENGINE_NANOPB_ERROR 255

/* What outputs are filled with before the first iteration. */
#define ENGINE_STALE 0xa5

struct engine_request {
    enum engine engine;
    enum engine_operation operation;
    uint32_t type; /* index in the schema in force */
    const void *input;
    uint32_t length;
    uint32_t max_depth;
    uint32_t warm;       /* iterations that do not count */
    uint32_t once_above; /* cycles: a first iteration that takes more is the only one, and counts; 0: none does */
    uint32_t iterations; /* that do, at least 1 */
    void (*forget)(void); /* NULL, or what empties the caches before the first iteration */
    bool reencode;       /* structs: root .. fixed_top become the bytes that nanopb encodes the struct to */
};

struct engine_result {
    uint32_t status; /* HW_STATUS_*, the driver's own, or ENGINE_NANOPB_ERROR */
    hw_ref root; /* serializing: the first byte, */
    uint32_t fixed_top, flexible_top; /* ... and fixed_top the one after the last */
    uint32_t offset;       /* input offset of the error */
    uint32_t cycles;       /* the fewest, from the call of the API to its return */
    uint32_t cycles_most;
    uint32_t cycles_first; /* of the very first iteration */
    uint32_t instructions; /* of the iteration with the fewest cycles */
    uint32_t fallbacks;    /* of all iterations */
    struct counts counts;  /* of the iteration with the fewest cycles */
    const char *error;     /* nanopb's, NULL if none */
};

enum engine_problem { ENGINE_FINE, ENGINE_NO_TYPE, ENGINE_NO_ROOM, ENGINE_BAD_INPUT /* nothing to serialize */ };

const char *engine_name(enum engine engine);

/* The heap that engines fill; emptied before each iteration. */
extern struct hw_arenas engine_heap;

/* Runs the request; the objects of the last iteration stay. On a problem nothing was run. */
enum engine_problem engine_run(const struct engine_request *request, struct engine_result *result);

#endif
