/* SkywayObjectOutputStream: object graphs into output buffers, outside the heap (docs/skyway.md, "Sending").
 *
 *   hw_skyway_shuffle_start();
 *   struct hw_skyway_output stream;
 *   hw_skyway_output_open(&stream, &sink, work, sizeof work, HW_SKYWAY_LAYOUT_METADATA);
 *   hw_skyway_write_object(&stream, first);
 *   hw_skyway_write_object(&stream, second);      shares what the first one reaches
 *   hw_skyway_output_close(&stream);
 *
 * A stream is a thread's own. What it writes in one phase is one buffer, which the receiver sees when it has ended: by a close, or
 * by the first write in another phase. The first error stays, the buffer it falls in is given up as a whole, and every
 * later call fails, until hw_skyway_output_clear.
 */
#ifndef HW_SKYWAY_SENDER_OUTPUT_H
#define HW_SKYWAY_SENDER_OUTPUT_H

#include "skyway/format.h"
#include "skyway/medium.h"
#include "skyway/status.h"
#include "runtime/handle.h"
#include "runtime/heap/root.h"

/* Objects that were reached and not cloned yet, first in, first out: the paper's gray queue. A ring, which begins at its first slot
 * with each root. What does not fit is found again by its mark, when the ring is empty (queue.c). */
struct skyway_queue {
    hw_ref *slots;
    uint32_t size, first, count;
    uint32_t held;   /* slots, from the ring's beginning on, that have something else: while the quick way has it (drain.c) */
    uint32_t beyond; /* relative address of the first object that is not in the ring, 0: all are */
    bool wrapped;    /* every slot has been used since the root */
};

/* Objects that another open stream, or another serialization, has marked: the relative addresses this one gave them. A table of
 * the stream's own, in the order they were met, and an index by address. */
struct skyway_shared {
    hw_ref *objects;
    uint32_t *relative;
    uint32_t *index; /* place + 1, by the hash of the address; 0: none */
    uint32_t size, count, mask;
    uint32_t collections; /* when the index was made */
};

/* Roots while a buffer is under way. Most have none, and then the collector is not told. */
struct skyway_roots {
    struct hw_root_range range;
    bool known; /* to the collector */
};

struct hw_skyway_output {
    struct hw_skyway_sink *sink;
    struct hw_skyway_layout layout; /* the receiver's */
    bool adjusts;                   /* ... which is not this runtime's */
    bool open;                      /* a buffer is under way */
    int status;                     /* first error: HW_STATUS_* or HW_SKYWAY_* */
    hw_ref at;                      /* ... the object at fault, 0: none; where it was then */
    uint32_t registry, resets, phase, stream, owner, oldest;
    uint8_t *segment; /* header of the one under way; NULL: none */
    uint8_t *top;     /* the next object goes here */
    uint8_t *tops;    /* roots of the segment, downwards from the sink's limit */
    uint32_t base;    /* relative address of the segment's first object */
    uint32_t free;    /* ... of the next object that is reached for the first time */
    uint32_t again;   /* ... of the next one that a unit has numbered and software has not met since, which waits when it does; 0: there is none */
    uint32_t last;    /* bytes that the last root added that added any, of whatever buffer */
    uint32_t roots;   /* of the stream so far */
    uint32_t types;   /* highest type id so far */
    bool alone; /* a unit has stopped within a root of this buffer, and not for want of room: software does the rest, as it does again what the unit has done up to a stop */
    uint32_t commands, fallbacks; /* roots by a unit, and those that it left, or the rest of them, to software (assist.h) */
    uint32_t refills; /* of the queue, each of which took a walk through the heap */
    uint32_t bound, span; /* of the heap */
    struct skyway_queue queue;
    struct skyway_shared shared;
    struct skyway_roots queue_roots, shared_roots;
};

/* The number that other machines know this one's streams by, for whoever sets up the machine to draw. */
extern uint32_t hw_skyway_sender;

/* `work`, 8-byte aligned and outside the heap, is the stream's until it is closed: half of it for objects that wait, 4
 * bytes each (one is enough, 4 for each object of a graph are more than it ever wants; between them a walk through the heap brings in what
 * did not fit), half for objects that other streams have in use, 16 bytes each. The sink's buffer has at least 128 bytes. */
void hw_skyway_output_open(struct hw_skyway_output *stream, struct hw_skyway_sink *sink, void *work, uint32_t work_bytes,
                           struct hw_skyway_layout receiver);

/* writeObject: clones what `root` (NULL: null) leads to and was not sent in this buffer yet. A safepoint before it begins and
 * whenever the sink sends. */
bool hw_skyway_write_object(struct hw_skyway_output *stream, hw_handle root);

/* Sends what is in the output buffer. */
bool hw_skyway_flush(struct hw_skyway_output *stream);

/* Ends the buffer under way; the next write begins another. */
bool hw_skyway_finish(struct hw_skyway_output *stream);

/* The same, and the stream is no more. */
bool hw_skyway_output_close(struct hw_skyway_output *stream);

/* Forgets the first error. */
static inline void hw_skyway_output_clear(struct hw_skyway_output *stream)
{
    stream->status = HW_STATUS_OK;
    stream->at = 0;
}

#endif
