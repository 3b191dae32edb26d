/* The parts of an output stream. Only for its own files. */
#ifndef HW_SKYWAY_SENDER_SENDER_H
#define HW_SKYWAY_SENDER_SENDER_H

#include "skyway/sender/output.h"
#include "runtime/compiler.h"
#include "runtime/heap/object.h"

#define SKYWAY_NOWHERE UINT32_MAX
/* Bytes that must be left in an output buffer behind the last object: for a root and its padding. */
#define SKYWAY_TAIL 8

/* Stores the first error of a stream. Returns false. */
COLD bool skyway_refuse(struct hw_skyway_output *stream, hw_status status, hw_ref at);

/* Declares the first `count` words of the range to be roots. */
void skyway_roots_set(struct skyway_roots *roots, uint32_t count);

/* Ensures that a segment is under way with room for a root and, if the sink drains, for at least as many bytes as the
 * last root added. A safepoint. Returns false if there is no such room, if a root like the last one is larger than the
 * sink's buffer, or, with a status, if the sink failed. */
bool skyway_roomy(struct hw_skyway_output *stream);

/* Returns the relative address of an object, which becomes reached if it was not; SKYWAY_NOWHERE on an error. It claims
 * objects (heap/epoch.h), and so do the functions that clone. */
uint32_t skyway_reach(struct hw_skyway_output *stream, hw_ref object);

/* Returns whether the phase of the stream's buffer is still open. If not, others may have taken the owner words of that
 * phase, which is an error. To be called after any call during which other threads may have run. */
bool skyway_in_phase(struct hw_skyway_output *stream);

/* Returns the bytes of a clone for the stream's receiver. The object's length was checked when the object was
 * reached. */
uint32_t skyway_clone_bytes(const struct hw_skyway_output *stream, const struct hw_klass *klass, uint32_t length);

static inline uint32_t skyway_length(const struct hw_klass *klass, hw_ref object) {
    return klass->object_size ? 0 : hw_array_length(object);
}

/* The fast path: clones `root`, unless it is 0, and then waiting objects in order, until one needs the slow path or
 * none is left. Uses this runtime's layout and the segment under way. Returns the relative address of the root;
 * SKYWAY_NOWHERE on an error. Claims objects (heap/epoch.h). */
uint32_t skyway_drain(struct hw_skyway_output *stream, hw_ref root);

/* Clones an object to `to`, in this runtime's layout. */
bool skyway_clone(struct hw_skyway_output *stream, hw_ref object, const struct hw_klass *klass, uint32_t bytes,
                  uint32_t *to);

/* Writes the bytes [from, limit) of the clone, multiples of 8, in the receiver's layout. */
bool skyway_clone_part(struct hw_skyway_output *stream, hw_ref object, const struct hw_klass *klass, uint32_t from,
                       uint32_t limit, uint32_t *to);

static inline uint32_t skyway_clone_mark(hw_ref object) {
    return (((const struct hw_object *)hw_pointer(object))->mark & ~SKYWAY_MARK_MASK) | HW_OBJECT_MARK_UNLOCKED;
}

/* Appends the object to the queue. It has the highest relative address so far. */
void skyway_enqueue(struct hw_skyway_output *stream, hw_ref object, uint32_t relative);

/* Removes the first waiting object. */
static inline void skyway_dequeue(struct skyway_queue *queue) {
    queue->count--;
    if (++queue->first == queue->size) {
        queue->first = 0;
        queue->wrapped = true;
    }
}

/* Refills the empty queue with objects that did not fit. Returns false if there are none, or, with a status, if the
 * heap is not walkable. A safepoint. */
bool skyway_refill(struct hw_skyway_output *stream);

/* Returns the address of the two words of an object's serialization metadata: the owner word, and the relative address
 * that the owner gave the object. */
static inline uint32_t *skyway_metadata(hw_ref object, const struct hw_klass *klass) {
    return hw_pointer(object + (klass->object_size ? HW_OBJECT_METADATA_INSTANCE : HW_OBJECT_METADATA_ARRAY));
}

/* The table of shared objects. skyway_shared_find returns the object's relative address; NULL if the table lacks the
 * object. */
uint32_t *skyway_shared_find(struct skyway_shared *shared, hw_ref object);
bool skyway_shared_add(struct skyway_shared *shared, hw_ref object, uint32_t relative);
void skyway_shared_open(struct skyway_shared *shared, void *work, uint32_t bytes);
void skyway_shared_clear(struct skyway_shared *shared);

/* Places of an instance's fields in a heap of any format (docs/reference/skyway.md, "Heap formats"). Only for the
 * sender's own files. */

/* A field: its offset and bytes in this heap, its offset in the other heap. */
typedef void skyway_place_visit(void *context, uint32_t offset, uint32_t bytes, bool reference, uint32_t place);

/* Calls `visit`, if there is one, for each field of an instance in the receiver's heap, in the order in which fields
 * are placed. Returns the offset behind the last byte of a field. */
uint32_t skyway_place_fields(const struct hw_skyway_output *stream, const struct hw_klass *klass,
                             skyway_place_visit *visit, void *context);

/* The most bytes that a table of places has use for. */
#define SKYWAY_PLACES_MOST (8u + 32 * 64)

/* Makes an empty table of the places of classes, which need not be computed again then. Returns NULL if there is no
 * room for a class. `work` is aligned to 8 bytes. */
struct skyway_places *skyway_places_open(void *work, uint32_t bytes);

/* Clones in the format of another heap. Only for the sender's own files. */

/* Adds the words of the format to a buffer's header. */
COLD void skyway_adjust_header(const struct hw_skyway_output *stream, struct skyway_header *header);

/* skyway_clone_bytes for a stream with a format: more than SKYWAY_LIMIT for a clone that no stream has room for. */
COLD uint32_t skyway_adjusted_bytes(const struct hw_skyway_output *stream, const struct hw_klass *klass,
                                    uint32_t length);

/* skyway_clone_part for a stream with a format. The caller claims objects (heap/epoch.h). */
COLD bool skyway_adjust(struct hw_skyway_output *stream, hw_ref object, const struct hw_klass *klass, uint32_t from,
                        uint32_t limit, void *to);

#endif
