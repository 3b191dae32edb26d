/* The large space: runs of regions, which never move.
 *
 * A run holds one large object, or what a unit built in an arena that eden could
 * not give (adopt.c). It stays until a full collection finds nothing live in it.
 */
#ifndef HW_RUNTIME_HEAP_LARGE_H
#define HW_RUNTIME_HEAP_LARGE_H

#include "runtime/heap/space.h"

/* Entry of a run's first region; all are 0 for a free region and for those behind the first. */
struct hw_region {
    uint32_t count; /* regions of the run */
    uint32_t bytes; /* in use, from the run's start; walkable */
    uint32_t held;  /* the input buffer that the run is part of (input.h), all of it live; 0: none */
};

/* Objects of more bytes than this are large. */
static inline uint32_t hw_large_threshold(void)
{
    return hw_space.options.region_bytes / 2;
}

/* A run of at least `bytes` bytes, first fit, none of them in use; 0 when there is none. */
hw_ref hw_large_take(uint32_t bytes);

/* The first `bytes` bytes of the run at `run`, which hold whole objects, are in use; regions behind
 * them are free again. Cards are dirty: the objects may refer to young ones. */
void hw_large_commit(hw_ref run, uint32_t bytes);

/* Calls `visit` for the range in use of every run that has one. */
void hw_large_visit(void (*visit)(uint32_t start, uint32_t limit));

/* The same for a run of an input buffer: object starts are noted already, cards are the caller's. */
void hw_large_hold(hw_ref run, uint32_t bytes, uint32_t buffer);

/* The buffer's runs live from now on by what leads to them. */
void hw_large_release(uint32_t buffer);

/* hw_large_visit of the runs of input buffers. */
void hw_large_visit_held(void (*visit)(uint32_t start, uint32_t limit));

/* After marking: frees runs without a marked object; what is dead in the others becomes filler. */
void hw_large_sweep(void);

/* Bytes of runs, whole regions. */
uint32_t hw_large_used(void);

void hw_large_reset(void);

#endif
