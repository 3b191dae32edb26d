/* The large space: runs of regions. Objects there never move.
 *
 * A run holds one large object, an input buffer's objects (input.h), or what a unit built in an arena larger than eden
 * could give (adopt.c). It stays until a full collection finds no live object in it.
 */
#ifndef HW_RUNTIME_HEAP_LARGE_H
#define HW_RUNTIME_HEAP_LARGE_H

#include "runtime/heap/space.h"

/* The entry of a run's first region. Entries of free regions and of a run's other regions are all 0. */
struct hw_region {
    uint32_t count; /* regions of the run */
    uint32_t bytes; /* in use, from the run's start; walkable */
    uint32_t held;  /* the input buffer to which the run belongs (input.h), all of it live; 0: none */
};

/* Objects of more bytes than this are large. */
static inline uint32_t hw_large_threshold(void) { return hw_space.options.region_bytes / 2; }

/* Returns whether the large space has room for `bytes` bytes while nothing is in use. If not, no collection helps. */
bool hw_large_could_hold(uint32_t bytes);

/* Takes the first run of at least `bytes` bytes that is free, and marks none of them as in use. Returns 0 if there is
 * none. */
hw_ref hw_large_take(uint32_t bytes);

/* Lengthens a run that was taken and has nothing in use, to at least `bytes` bytes. Returns its new length, or 0 if the
 * regions behind it are not free; the run is then as before. */
uint32_t hw_large_extend(hw_ref run, uint32_t bytes);

/* Declares the first `bytes` bytes of `run`, whole objects, to be in use. Frees the regions behind them. Makes the
 * cards dirty, because the objects may refer to young ones. */
void hw_large_commit(hw_ref run, uint32_t bytes);

/* Calls `visit` for the used range of every run that has one. */
void hw_large_visit(void (*visit)(uint32_t start, uint32_t limit));

/* hw_large_commit for a run of an input buffer. The caller has noted object starts and sets the cards. */
void hw_large_hold(hw_ref run, uint32_t bytes, uint32_t buffer);

/* Ends the buffer: its runs live from now on only by references to their objects. */
void hw_large_release(uint32_t buffer);

/* hw_large_visit for runs of input buffers only. */
void hw_large_visit_held(void (*visit)(uint32_t start, uint32_t limit));

/* After marking: frees the runs without a marked object, and makes dead objects in the other runs filler. */
void hw_large_sweep(void);

/* Returns the bytes of all runs, in whole regions. */
uint32_t hw_large_used(void);

void hw_large_reset(void);

#endif
