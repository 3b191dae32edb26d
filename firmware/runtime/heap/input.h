/* Input buffers: runs of the large space that a reader fills with objects of another heap (Skyway,
 * docs/reference/skyway.md).
 *
 *   run = hw_input_take(bytes);                            only the caller knows of its contents
 *   hw_input_begin(run, run + bytes);
 *   ... for each object and for each reference in it: hw_input_note; hw_starts_note ...
 *   if (hw_input_stray(run, run + bytes) == 0)             every reference leads to an object
 *       hw_input_publish(run, bytes, buffer);
 *   ...
 *   hw_input_free(buffer);
 *
 * Objects in input buffers never move. A published run belongs to a buffer. All its objects are live until the buffer
 * is freed; then the run is like any other run of the large space. Between hw_input_begin and the hw_input_stray of the
 * buffer's last run there is no safepoint: the bits of objects and references lie in the collector's tables, which the
 * collector needs while it runs.
 */
#ifndef HW_RUNTIME_HEAP_INPUT_H
#define HW_RUNTIME_HEAP_INPUT_H

#include "runtime/heap/card.h"

/* Takes a run of at least `bytes` bytes, after a collection if need be. A safepoint. Returns 0 without an error if
 * there is no room. */
hw_ref hw_input_take(uint32_t bytes);

/* Lengthens a run that was taken and not published, to at least `bytes` bytes. A safepoint. Returns its new length, or
 * 0 if there is no room behind it. */
uint32_t hw_input_extend(hw_ref run, uint32_t bytes);

/* Gives up a run that was not published. */
void hw_input_drop(hw_ref run);

/* Prepares for noting the objects of [run, limit), which are 8-byte aligned, in the order of addresses. */
void hw_input_begin(hw_ref run, hw_ref limit);

/* Notes a granule in `table`. In hw_space.marks, the note says that an object starts there; hw_starts_note must be
 * called for the object, too. In hw_space.ranks, it says that a reference leads there; the target lies in a run of the
 * buffer and is aligned as objects are. */
static inline void hw_input_note(uint32_t *table, uint32_t granule) { table[granule / 32] |= 1u << granule % 32; }

/* Returns the lowest target in [run, limit) at which no object starts; 0: none. Forgets what was noted of the range. */
hw_ref hw_input_stray(hw_ref run, hw_ref limit);

/* Makes the first `bytes` bytes of the run part of the heap: whole objects that refer only to objects in runs of the
 * same buffer. Frees the regions behind them. `buffer` is not 0. */
void hw_input_publish(hw_ref run, uint32_t bytes, uint32_t buffer);

/* Returns a number for a new buffer, not 0. */
uint32_t hw_input_buffer(void);

/* Frees a buffer: from now on its objects live only as long as something refers to them. */
void hw_input_free(uint32_t buffer);

#endif
