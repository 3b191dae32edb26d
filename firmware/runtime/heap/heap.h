/* The managed heap: a young generation that copies, an old one that compacts, and
 * a space of regions for large objects that never move (docs/runtime.md).
 *
 *   | old ......... | eden ........ | survivor | survivor | large: regions ... |
 *
 * All of it is one range of addresses; cards, object starts and mark bits are
 * tables beside it, carved from its end.
 */
#ifndef HW_RUNTIME_HEAP_HEAP_H
#define HW_RUNTIME_HEAP_HEAP_H

#include "runtime/handle.h"
#include "runtime/heap/bump.h"
#include "runtime/klass.h"

struct hw_heap_options {
    uint32_t base;           /* 1 KB aligned, outside the program */
    uint32_t bytes;          /* tables included */
    uint32_t eden_bytes;     /* 0: a quarter of `bytes` */
    uint32_t survivor_bytes; /* each of two; 0: a quarter of eden */
    uint32_t large_bytes;    /* 0: an eighth of `bytes` */
    uint32_t region_bytes;   /* power of two; 0: 16 KB. What is larger than half of it is large. */
    uint32_t buffer_bytes;   /* a thread's allocation buffer; 0: 2 KB */
    uint32_t unit_bytes;     /* each of the two arenas of a unit; 0: 8 KB */
    uint32_t tenure;         /* young collections survived before an object is old: 1 to 15; 0: 4 */
    bool stress;             /* collect at every allocation that leaves the fast path, which all then do */
    bool poison;             /* overwrite what a collection has emptied */
    bool verify;             /* walk the heap after every collection; a fault ends the program */
};

/* What the collector has done since hw_heap_init; cycles are the core's. */
struct hw_heap_statistics {
    uint32_t young_collections, full_collections;
    uint64_t young_cycles, full_cycles; /* pauses, without waiting */
    uint32_t longest_young, longest_full;
    uint64_t wait_cycles; /* from the request of a collection until every thread was at a safepoint */
    uint32_t longest_wait;
    uint32_t commands_met;   /* collections that were asked for while a command was in flight */
    uint32_t restarts;       /* commands that ran out of an arena and were run again with more room */
    uint64_t copied_bytes;   /* young to survivor */
    uint64_t promoted_bytes; /* young to old */
    uint32_t live_bytes;     /* after the last full collection */
};

extern struct hw_heap_statistics hw_heap_statistics;

/* False if the options do not fit together; the heap that was is gone, handles are dropped. */
bool hw_heap_init(const struct hw_heap_options *options);

/* hw_new and hw_allocate, for objects, are in bump.h. Arrays of `length` elements, all zero: with a local handle,
 * or without, as there. NULL or 0 with an exception when there is no room. */
hw_handle hw_new_array(const struct hw_klass *klass, uint32_t length);
hw_ref hw_allocate_array(const struct hw_klass *klass, uint32_t length);

/* Reads and writes a reference at a byte offset of an object, or element `index` of an array of
 * references. A NULL handle is the null reference; a null reference reads as NULL. */
hw_handle hw_get(hw_handle object, uint32_t offset);
void hw_set(hw_handle object, uint32_t offset, hw_handle value);
hw_handle hw_get_element(hw_handle array, uint32_t index);
void hw_set_element(hw_handle array, uint32_t index, hw_handle value);

/* Collects now. `full`: old generation and large objects too. */
void hw_collect(bool full);

/* Identity hash, 25 bits, never 0, the same wherever the object moves. */
uint32_t hw_identity_hash(hw_handle object);

/* Where objects lie: every one of them in [*bound, *limit). */
void hw_heap_bounds(uint32_t *bound, uint32_t *limit);

/* Bytes in use: live objects and what has died since the last collection. */
uint32_t hw_heap_used(void);

#endif
