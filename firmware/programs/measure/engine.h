/* Runs one message repeatedly through one engine, deserializing or serializing, and reports the cost. The monitor and
 * the protobuf bench both use it, so their figures agree. */
#ifndef HW_PROGRAMS_MEASURE_ENGINE_H
#define HW_PROGRAMS_MEASURE_ENGINE_H

#include <stdbool.h>

#include "platform/cycles.h"
#include "programs/measure/counts.h"
#include "records/workload.h"
#include "runtime/arena.h"

/* Engines of the machine; those of engine_peers follow. */
#define ENGINES (ENGINE_FIELDS + 1)

enum engine_operation {
    ENGINE_DESERIALIZE,
    ENGINE_SERIALIZE, /* serializes the objects, or the struct, that were made from the input once */
};

/* Returns whether an engine's messages are nanopb's structs. */
static inline bool engine_has_structs(enum engine engine) {
    return engine == ENGINE_NANOPB || engine == ENGINE_HW_NANOPB;
}

/* Counts of one iteration. */
struct sample {
    uint32_t cycles, instructions;
};

static inline struct sample sample_start(void) {
    struct sample start = {.instructions = instructions_now()};

    start.cycles = cycles_now();
    return start;
}

static inline struct sample sample_end(struct sample start) {
    uint32_t cycles = cycles_now() - start.cycles;

    return (struct sample){.cycles = cycles, .instructions = instructions_now() - start.instructions};
}

/* An engine that a program adds, with messages of its own; or `hw`, with strings left in the input. */
struct engine_peer {
    const char *name;
    uint16_t left_from; /* of `hw`: the fewest bytes of a string that stays in the input. The rest is 0 then */
    /* Returns what it knows of a type, by the full name, or NULL. */
    const void *(*find)(const char *type);
    /* Reads a message into an empty arena, and stores its address, or NULL if it refuses the input. */
    struct sample (*read)(const void *type, const void *input, uint32_t length, struct hw_arena *arena, void **message);
    /* Writes a message into an empty arena, of which base .. top are the bytes afterwards, or base 0 after an error.
     * ordered: entries of maps are in the order of their keys. */
    struct sample (*write)(const void *type, const void *message, bool ordered, struct hw_arena *arena);
    bool writes; /* false: as another peer does, so that its own figures tell nothing */
};

/* Engine ENGINES + n is peer n. Without such a table a program has none. */
extern const struct engine_peer engine_peers[];
extern const unsigned engine_peer_count;

/* Returns the peer of an engine, or NULL. */
static inline const struct engine_peer *engine_peer(unsigned engine) {
    return engine >= ENGINES && engine - ENGINES < engine_peer_count ? &engine_peers[engine - ENGINES] : NULL;
}

/* The byte that fills outputs before the first iteration. */
#define ENGINE_STALE 0xa5

struct engine_request {
    enum engine engine;
    enum engine_operation operation;
    uint32_t type; /* index of a type in the schema in force */
    const void *input;
    uint32_t length;
    uint32_t max_depth;
    uint32_t warm; /* iterations that are not counted */
    /* in cycles: if the first iteration takes more, it is the only one, and is counted; 0: no such limit */
    uint32_t once_above;
    uint32_t iterations;  /* counted iterations, at least 1 */
    void (*forget)(void); /* empties the caches before the first iteration; or NULL */
    /* afterwards root .. fixed_top are the bytes to which the engine, or nanopb for structs, encodes what was made; for
     * a peer, those that it writes, in order, of what it has read from the input, or reads from its output */
    bool reencode;
};

struct engine_result {
    uint32_t status;                  /* HW_STATUS_*, the driver's own, or ENGINE_NANOPB_ERROR */
    hw_ref root;                      /* when serializing: the address of the first byte */
    uint32_t fixed_top, flexible_top; /* when serializing: fixed_top is the address behind the last byte */
    uint32_t offset;                  /* input offset of the error */
    uint32_t cycles;                  /* the fewest, from the call of the API to its return */
    uint32_t cycles_most;
    uint32_t cycles_first; /* of the very first iteration */
    uint32_t instructions; /* of the iteration with the fewest cycles */
    uint32_t fallbacks;    /* of all iterations */
    struct counts counts;  /* of the iteration with the fewest cycles */
    const char *error;     /* nanopb's, NULL if none */
};

enum engine_problem { ENGINE_FINE, ENGINE_NO_TYPE, ENGINE_NO_ROOM, ENGINE_BAD_INPUT /* nothing to serialize */ };

const char *engine_name(enum engine engine);

/* The heap of the engines; emptied before each iteration. */
extern struct hw_arenas engine_arenas;

/* Runs the request. The objects of the last iteration stay. If it returns a problem, nothing was measured. */
enum engine_problem engine_run(const struct engine_request *request, struct engine_result *result);

#endif
