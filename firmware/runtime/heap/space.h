/* The heap's spaces and tables, and taking memory from them. Only for the runtime's files. */
#ifndef HW_RUNTIME_HEAP_SPACE_H
#define HW_RUNTIME_HEAP_SPACE_H

#include <stdint.h>
#include <string.h>

#include "runtime/heap/heap.h"

/* Mark bits and object starts count in granules, whose size is the alignment of objects. */
#define HW_GRANULE_SHIFT 3
_Static_assert(1 << HW_GRANULE_SHIFT == HW_OBJECT_ALIGNMENT, "granule");

/* An arena of a unit in eden has at most this fraction of eden (1 / HW_EDEN_SHARE). */
#define HW_EDEN_SHARE 4

struct hw_space {
    struct hw_heap_options options; /* with every default filled in */
    struct hw_arena old, eden, survivor[2], large;
    uint32_t from;   /* the survivor space that holds objects */
    uint32_t base;   /* of the range that collections cover: old.base to large.limit */
    uint32_t young;  /* eden.base; the survivor spaces follow */
    uint32_t limit;  /* large.limit */
    uint8_t *cards;  /* one byte a card from `base` on (card.h) */
    uint8_t *starts; /* one byte a card: where its first object starts */
    uint32_t *marks; /* one bit a granule; all clear between collections */
    uint32_t *ranks; /* one word for each word of `marks`: the number of granules marked before it */
    hw_ref *stack;   /* mark stack: objects that are marked but not yet scanned */
    uint32_t stack_size;
    struct hw_region *regions;         /* of the large space */
    uint32_t region_count, region_log; /* region_log: log2 of options.region_bytes */
    uint32_t region_limit;             /* no region from this one on is in use: collections do not look at them */
};

extern struct hw_space hw_space;

static inline uint32_t hw_eden_share(void) { return hw_space.options.eden_bytes / HW_EDEN_SHARE; }

static inline bool hw_in_heap(hw_ref reference) { return reference - hw_space.base < hw_space.limit - hw_space.base; }

static inline bool hw_in_young(hw_ref reference) {
    return reference - hw_space.young < hw_space.large.base - hw_space.young;
}

static inline uint32_t hw_granule(hw_ref reference) { return (reference - hw_space.base) >> HW_GRANULE_SHIFT; }

static inline uint32_t hw_arena_free(const struct hw_arena *arena) { return arena->limit - arena->top; }

/* Returns the low word of the core's cycle counter; 0 on the host. */

static inline uint32_t hw_clock(void) {
    uint32_t cycles = 0;

#ifdef __riscv
    __asm__ volatile("csrr %0, mcycle" : "=r"(cycles)::"memory");
#endif
    return cycles;
}

/* Allocation: a thread bumps a pointer in its buffer, which is a chunk of eden. */

/* Allocates `bytes` bytes, not cleared, when the thread's buffer lacks the room: from a new buffer, after a collection,
 * or from the large space. A safepoint. Returns 0 with an error. */
hw_ref hw_allocate_slow(uint32_t bytes);

/* Takes a chunk of eden, after collections if need be. The chunk is not cleared and not walkable. Returns 0 if eden
 * cannot provide it. */
hw_ref hw_eden_take(uint32_t bytes);

/* Like hw_eden_take, but without a collection. No safepoint. */
hw_ref hw_eden_try(uint32_t bytes);

/* Makes the rest of a thread's buffer filler, and the thread has no buffer. */
void hw_buffer_close(struct hw_thread *thread);

/* The large space: runs of regions. Objects there never move.
 *
 * A run holds one large object, an input buffer's objects (input.h), or what a unit built in an arena larger than eden
 * could give (adopt.c). It stays until a full collection finds no live object in it.
 */

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

/* Poisoning of emptied memory, with options.poison. The memory is overwritten and, in a build with ASan, inaccessible
 * until it is taken again. A raw reference that was kept too long is thus caught when it is read.
 */

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(start, bytes) ((void)(start), (void)(bytes))
#define ASAN_UNPOISON_MEMORY_REGION(start, bytes) ((void)(start), (void)(bytes))
#endif

/* Byte that fills emptied memory. Four of them are neither a valid class word nor an aligned reference. */
#define HW_POISON 0xad

/* Makes free memory inaccessible until hw_memory_allow. */
static inline void hw_memory_forbid(uint32_t start, uint32_t limit) {
    if (hw_space.options.poison) ASAN_POISON_MEMORY_REGION(hw_pointer(start), limit - start);
}

static inline void hw_memory_allow(uint32_t start, uint32_t limit) {
    ASAN_UNPOISON_MEMORY_REGION(hw_pointer(start), limit - start);
}

/* Poisons memory that held objects until now. */
static inline void hw_poison(uint32_t start, uint32_t limit) {
    if (!hw_space.options.poison) return;
    hw_memory_allow(start, limit);
    memset(hw_pointer(start), HW_POISON, limit - start);
    hw_memory_forbid(start, limit);
}

#endif
