/* A bump-pointer arena: the memory in [base, limit), of which [top, limit) is free. All three are multiples of the
 * object alignment. */
#ifndef HW_RUNTIME_ARENA_H
#define HW_RUNTIME_ARENA_H

#include <stdbool.h>

#include "runtime/object.h"

struct hw_pending;

struct hw_arena {
    uint32_t top;
    uint32_t limit;
    uint32_t base;
};

/* The arenas in which commands allocate: objects in `fixed`, arrays that grow in `flexible`. Only one command at a time
 * may allocate in them. The driver (protobuf/async.c) keeps `in_flight`; hw_protobuf_open initialises it. */
struct hw_arenas {
    struct hw_arena fixed;
    struct hw_arena flexible;
    /* the command that allocates here and that its thread has not waited for; NULL: none */
    struct hw_pending *in_flight;
};

/* Returns false, and leaves an arena without room, if the range does not fit into 32 bits or holds no aligned
 * address. */
static inline bool hw_arena_init(struct hw_arena *arena, uint32_t base, uint32_t bytes) {
    const uint32_t mask = HW_OBJECT_ALIGNMENT - 1;
    bool valid = base != 0 && base <= UINT32_MAX - mask && bytes <= UINT32_MAX - base;
    uint32_t start = valid ? hw_object_round(base) : 0;
    uint32_t limit = valid ? (base + bytes) & ~mask : 0;

    valid = valid && start <= limit;
    arena->base = arena->top = valid ? start : 0;
    arena->limit = valid ? limit : 0;
    return valid;
}

static inline void hw_arena_reset(struct hw_arena *arena) { arena->top = arena->base; }

static inline uint32_t hw_arena_used(const struct hw_arena *arena) { return arena->top - arena->base; }

/* Returns the address of `bytes` new bytes, not cleared, aligned as objects are; 0 if there is no room. */
static inline hw_ref hw_arena_take(struct hw_arena *arena, uint32_t bytes) {
    uint32_t taken = arena->top;

    if (bytes > arena->limit - taken) return 0;
    arena->top = taken + hw_object_round(bytes);
    return taken;
}

#endif
