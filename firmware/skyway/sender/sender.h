/* The parts of an output stream, for its files alone. */
#ifndef HW_SKYWAY_SENDER_SENDER_H
#define HW_SKYWAY_SENDER_SENDER_H

#include "skyway/sender/output.h"
#include "runtime/compiler.h"
#include "runtime/heap/object.h"

#define SKYWAY_NOWHERE UINT32_MAX
/* What must be left of an output buffer behind the last object: a root, and what pads it. */
#define SKYWAY_TAIL 8

/* Always false. */
COLD bool skyway_refuse(struct hw_skyway_output *stream, int status, hw_ref at);

/* That many words of the range are roots from now on. */
void skyway_roots_set(struct skyway_roots *roots, uint32_t count);

/* A segment is under way with room for a root, and if the sink drains with much more: for as many bytes as the last root added, at least. A safepoint. False:
 * there is none, or a root like the last one is more than the sink's buffer ever takes at once; or, with a status, the sink failed. */
bool skyway_roomy(struct hw_skyway_output *stream);

/* The relative address of an object, which is reached now if it was not; SKYWAY_NOWHERE: refused. Claims it (heap/claims.h), as what clones does within. */
uint32_t skyway_reach(struct hw_skyway_output *stream, hw_ref object);

/* Whether the phase of the stream's buffer is under way still; if not, others may have taken what was marked in it: refused. Behind whatever gives
 * other threads the word. */
bool skyway_in_phase(struct hw_skyway_output *stream);

/* Bytes of a clone for the stream's receiver. The object's length was found sound when it was reached. */
uint32_t skyway_clone_bytes(const struct hw_skyway_output *stream, const struct hw_klass *klass, uint32_t length);

static inline uint32_t skyway_length(const struct hw_klass *klass, hw_ref object)
{
    return klass->object_size ? 0 : hw_array_length(object);
}

/* Clones `root`, unless it is 0, and then objects that wait, in order, up to one that needs more than most do, or to the last; in this runtime's layout, into the
 * segment that is under way. The relative address of the root; SKYWAY_NOWHERE: refused. Claims (heap/claims.h). */
uint32_t skyway_drain(struct hw_skyway_output *stream, hw_ref root);

/* Clones an object to `to`, in this runtime's layout. */
bool skyway_clone(struct hw_skyway_output *stream, hw_ref object, const struct hw_klass *klass, uint32_t bytes, uint32_t *to);

/* Bytes [from, limit) of the clone, multiples of 8, in the receiver's layout. */
bool skyway_clone_part(struct hw_skyway_output *stream, hw_ref object, const struct hw_klass *klass, uint32_t from, uint32_t limit,
                       uint32_t *to);

static inline uint32_t skyway_clone_mark(hw_ref object)
{
    return (((const struct hw_object *)hw_pointer(object))->mark & ~SKYWAY_MARK_MASK) | HW_OBJECT_MARK_UNLOCKED;
}

/* The object waits behind the others, of which it has the highest relative address. */
void skyway_enqueue(struct hw_skyway_output *stream, hw_ref object, uint32_t relative);

/* The first object that waits does so no longer. */
static inline void skyway_dequeue(struct skyway_queue *queue)
{
    queue->count--;
    if (++queue->first == queue->size) {
        queue->first = 0;
        queue->wrapped = true;
    }
}

/* The queue is empty: objects that did not fit are in it now. False: there are none, or, with a status, the heap is not walkable. A
 * safepoint. */
bool skyway_refill(struct hw_skyway_output *stream);

/* The words of an object's serialization metadata: the owner, and the address it gave the object. */
static inline uint32_t *skyway_metadata(hw_ref object, const struct hw_klass *klass)
{
    return hw_pointer(object + (klass->object_size ? HW_OBJECT_METADATA_INSTANCE : HW_OBJECT_METADATA_ARRAY));
}

/* The table of shared objects; NULL: it lacks the object. */
uint32_t *skyway_shared_find(struct skyway_shared *shared, hw_ref object);
bool skyway_shared_add(struct skyway_shared *shared, hw_ref object, uint32_t relative);
void skyway_shared_open(struct skyway_shared *shared, void *work, uint32_t bytes);
void skyway_shared_clear(struct skyway_shared *shared);

#endif
