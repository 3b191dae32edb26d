/* Input buffers: runs of the large space that a reader fills with objects of another heap (Skyway's, docs/skyway.md).
 *
 *   run = hw_input_take(bytes);                            nobody else sees what is in it
 *   hw_input_begin(run, run + bytes);
 *   ... for each object and for each reference in it: hw_input_note; hw_starts_note ...
 *   if (hw_input_stray(run, run + bytes) == 0)             every reference leads to an object
 *       hw_input_publish(run, bytes, buffer);
 *   ...
 *   hw_input_free(buffer);
 *
 * Objects in them never move. A published run belongs to a buffer, and all that is in it is live until the buffer is freed; then
 * the run is like any other of the large space. From hw_input_begin until all runs of a buffer have been asked for strays
 * there is no safepoint: bits of objects and of references are kept in the collector's tables, which are its own only while it runs.
 */
#ifndef HW_RUNTIME_HEAP_INPUT_H
#define HW_RUNTIME_HEAP_INPUT_H

#include "runtime/heap/card.h"
#include "runtime/heap/space.h"

/* A run of at least `bytes` bytes, by a collection if need be: a safepoint. 0: there is no room; no exception. */
hw_ref hw_input_take(uint32_t bytes);

/* Gives up a run that was not published. */
void hw_input_drop(hw_ref run);

/* The objects of [run, limit), 8-byte aligned, are about to be noted, in the order of addresses. */
void hw_input_begin(hw_ref run, hw_ref limit);

/* An object, or where a reference leads, in `table`: hw_space.marks of objects, which hw_starts_note is told of, too; hw_space.ranks of
 * targets, which lie in a run of the buffer and are aligned as objects are. */
static inline void hw_input_note(uint32_t *table, uint32_t granule)
{
    table[granule / 32] |= 1u << granule % 32;
}

/* The lowest target in [run, limit) that is no object's start, 0: none. Forgets all that was noted of them. */
hw_ref hw_input_stray(hw_ref run, hw_ref limit);

/* The first `bytes` bytes of the run, whole objects that refer only to each other and to those of other runs of the buffer, are part of
 * the heap; the regions behind them are free. `buffer` is not 0. */
void hw_input_publish(hw_ref run, uint32_t bytes, uint32_t buffer);

/* A number for a new buffer, not 0. */
uint32_t hw_input_buffer(void);

/* The buffer's objects live from now on as long as something leads to them. */
void hw_input_free(uint32_t buffer);

#endif
