/* The managed heap: a copying young generation, a compacting old generation, and a space of regions for large objects,
 * which never move (docs/reference/runtime.md).
 *
 *   | old ......... | eden ........ | survivor | survivor | large: regions ... |
 *
 * The heap is one range of addresses. Tables of cards, object starts and mark bits are carved from its end.
 */
#ifndef HW_RUNTIME_HEAP_HEAP_H
#define HW_RUNTIME_HEAP_HEAP_H

#include <stdbool.h>

#include "runtime/thread.h"
#include "runtime/heap/object.h"
#include "units/status.h"

struct hw_heap_options {
    uint32_t base;           /* multiple of 1 KB, outside the program */
    uint32_t bytes;          /* tables included */
    uint32_t eden_bytes;     /* 0: a quarter of `bytes` */
    uint32_t survivor_bytes; /* of each of the two spaces; 0: a quarter of eden */
    uint32_t large_bytes;    /* 0: an eighth of `bytes` */
    uint32_t region_bytes;   /* power of two; 0: 16 KB. Objects larger than half of it are large. */
    uint32_t buffer_bytes;   /* a thread's allocation buffer; 0: 2 KB */
    uint32_t unit_bytes;     /* a unit's arena (adopt.h); 0: 8 KB, or 1/64 of eden if that is more */
    uint32_t tenure;         /* an object that has survived this many young collections becomes old: 1 to 15; 0: 4 */
    bool stress;             /* every allocation leaves the fast path, and each of these collects */
    bool software_only;      /* the evacuation unit takes no part in collections */
    bool poison;             /* overwrite the memory that a collection has emptied */
    void (*verify)(const char *when); /* after every collection: hw_heap_verify, or NULL */
};

/* Walks the heap. A fault, a bug of the runtime or a raw reference that was kept too long, ends the program: it is
 * printed. A program that does not name this function is linked without the walker. */
void hw_heap_verify(const char *when);

/* Statistics of the collector since hw_heap_init. Cycles are the core's. */
struct hw_heap_statistics {
    uint32_t young_collections, full_collections;
    uint64_t young_cycles, full_cycles; /* pauses, without the wait for threads and commands */
    uint32_t longest_young, longest_full;
    uint64_t wait_cycles; /* from a collection's request until every thread was at a safepoint */
    uint32_t longest_wait;
    uint32_t commands_met;      /* collections that were requested while a command was in flight */
    uint32_t restarts;          /* commands that ran out of arena and were repeated with more room */
    uint64_t copied_bytes;      /* young to survivor */
    uint64_t promoted_bytes;    /* young to old */
    uint64_t copied_by_unit;    /* of the bytes of arrays, by the copy unit */
    uint64_t evacuated_by_unit; /* of copied_bytes and promoted_bytes, by the evacuation unit */
    uint32_t live_bytes;        /* after the last full collection */
};

extern struct hw_heap_statistics hw_heap_statistics;

/* Grows whenever objects may have moved, or the heap has begun anew. */
extern uint32_t hw_heap_moves;

/* The status of a call that finds no room for its objects. */
extern const hw_status hw_heap_full;

/* Starts with an empty heap: the previous one is gone, and handles are dropped. Returns false, and changes nothing, if
 * the options do not fit together. */
bool hw_heap_init(const struct hw_heap_options *options);

/* Allocates an array of `length` elements, all zero: hw_new_array with a local handle, hw_allocate_array without one.
 * Return NULL or 0 with an error if there is no room. hw_new and hw_allocate are below. */
hw_handle hw_new_array(const struct hw_klass *klass, uint32_t length);
hw_ref hw_allocate_array(const struct hw_klass *klass, uint32_t length);

/* Read and write a reference at a byte offset of an object, or element `index` of an array of references. A NULL handle
 * stands for the null reference. */
hw_handle hw_get(hw_handle object, uint32_t offset);
void hw_set(hw_handle object, uint32_t offset, hw_handle value);
hw_handle hw_get_element(hw_handle array, uint32_t index);
void hw_set_element(hw_handle array, uint32_t index, hw_handle value);

/* Collects now; with `full`, the old generation and the large space too. */
void hw_collect(bool full);

/* Returns the object's identity hash: 25 bits, never 0, the same wherever the object moves. */
uint32_t hw_identity_hash(hw_handle object);

/* Returns the bounds of the heap: every object lies in [*bound, *limit). */
void hw_heap_bounds(uint32_t *bound, uint32_t *limit);

/* Returns the bytes in use by live objects and by those that died since the last collection. */
uint32_t hw_heap_used(void);

/* The inlined fast path of allocation: bumps the top of the thread's buffer, writes a header, makes a handle.
 * Everything else is out of line, so that the fast path needs no stack.
 *
 * Stores to the thread precede stores to the object: the core gathers stores by blocks of memory, and each change of
 * block costs time.
 */

/* hw_allocate and hw_new if the buffer is full or no handle is left. */
hw_ref hw_allocate_object_slow(const struct hw_klass *klass);
hw_handle hw_new_slow(const struct hw_klass *klass);

/* Writes the header, and zeros up to `limit`. */
static inline __attribute__((always_inline)) void hw_object_init(hw_ref object, hw_ref limit,
                                                                 const struct hw_klass *klass) {
    uint32_t *word = hw_pointer(object), *end = hw_pointer(limit);

    word[0] = HW_OBJECT_MARK_UNLOCKED;
    word[1] = hw_reference(klass);
    for (word += 2; word != end; word += 2) word[0] = word[1] = 0;
}

/* Returns a new object, all zero but its header, without a handle: for code that stores the reference before it reaches
 * a safepoint. Returns 0 with an error if there is no room; the heap stays usable. */
static inline __attribute__((always_inline)) hw_ref hw_allocate(const struct hw_klass *klass) {
    struct hw_thread *thread = hw_thread;
    uint32_t bytes = klass->object_size;
    hw_ref object = thread->buffer.top, limit = object + bytes;

    if (__builtin_expect(bytes > thread->buffer.limit - object, 0)) return hw_allocate_object_slow(klass);
    thread->buffer.top = limit;
    hw_object_init(object, limit, klass);
    return object;
}

/* Like hw_allocate, with a local handle. Returns NULL with an error if there is no room or no handle. */
static inline __attribute__((always_inline)) hw_handle hw_new(const struct hw_klass *klass) {
    struct hw_thread *thread = hw_thread;
    uint32_t bytes = klass->object_size;
    hw_handle handle = thread->handles.next;
    hw_ref object = thread->buffer.top, limit = object + bytes;

    if (__builtin_expect(bytes > thread->buffer.limit - object || handle == thread->handles.limit, 0))
        return hw_new_slow(klass);
    thread->buffer.top = limit;
    thread->handles.next = handle + 1;
    handle->reference = object;
    __asm__ volatile("" ::: "memory"); /* keeps the order of stores */
    hw_object_init(object, limit, klass);
    return handle;
}

/* The roots: local handles of every thread, global handles, the runtime registers that refer to objects, ranges that a
 * program declares, and the sentinels of adopted arrays (adopt.c). */

/* A table of references that a program keeps outside the heap for a while, such as a reader's table of the objects it
 * has read. Words that are not aligned as references are ignored, so the program may put marks of its own there. */
struct hw_root_range {
    struct hw_root_range *next;
    hw_ref *base;
    uint32_t count;
};

/* Declares the first `count` words of the range to be roots until the range is removed. hw_heap_init removes all
 * ranges. */
void hw_root_range_add(struct hw_root_range *range);
void hw_root_range_remove(struct hw_root_range *range);
void hw_root_ranges_reset(void);

/* Visits the local handles of a thread's table but those on null references. */
void hw_handles_visit(struct hw_thread *thread, hw_visit_slot *visit, void *context);

/* Visits every root but null references. */
void hw_roots_visit(hw_visit_slot *visit, void *context);

#endif
