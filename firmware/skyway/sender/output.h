/* SkywayObjectOutputStream: object graphs into output buffers outside the heap (docs/reference/skyway.md, "Sending").
 *
 *   hw_skyway_shuffle_start();
 *   struct hw_skyway_output stream;
 *   hw_skyway_output_open(&stream, &sink, work, sizeof work, HW_SKYWAY_LAYOUT_METADATA);
 *   hw_skyway_write(&stream, first);
 *   hw_skyway_write(&stream, second);      shares what the first one reaches
 *   hw_skyway_output_close(&stream);
 *
 * A stream belongs to one thread. What it writes in one phase is one buffer. The receiver sees the buffer when it has
 * ended: by a close, or by the first write in another phase. After the first error the stream gives up the whole buffer
 * under way, and every later call fails until hw_skyway_output_clear.
 */
#ifndef HW_SKYWAY_SENDER_OUTPUT_H
#define HW_SKYWAY_SENDER_OUTPUT_H

#include "skyway/format.h"
#include "skyway/medium.h"
#include "records/status.h"
#include "runtime/heap/heap.h"
#include "units/status.h"

/* The paper's gray queue: objects that have been reached but not cloned yet, first in, first out. It is a ring, which
 * begins at its first slot with each root. Objects that do not fit are found again by their owner words when the ring
 * is empty (queue.c). */
struct skyway_queue {
    hw_ref *slots;
    uint32_t size, first, count;
    uint32_t held;   /* slots at the ring's beginning that the fast path uses for noted objects (drain.c) */
    uint32_t beyond; /* relative address of the first object that is not in the ring; 0: all are */
    bool wrapped;    /* every slot has been used since the root began */
};

/* Objects that another open stream or another serialization has claimed, with the relative addresses that this stream
 * gave them. The stream has a table of its own, in the order in which the objects were met, and an index by address. */
struct skyway_shared {
    hw_ref *objects;
    uint32_t *relative;
    uint32_t *index; /* place in the table + 1, by the hash of the address; 0: none */
    uint32_t size, count, mask;
    uint32_t collections; /* number of collections when the index was made */
};

/* Roots of a buffer under way. Most buffers have none; the range is then not registered with the collector. */
struct skyway_roots {
    struct hw_root_range range;
    bool known; /* the collector knows the range */
};

struct hw_skyway_output {
    struct hw_skyway_sink *sink;
    struct hw_skyway_layout layout; /* of the receiver */
    bool adjusts;                   /* the receiver's layout is not this runtime's, or `format` is set */
    bool open;                      /* a buffer is under way */
    hw_status status;               /* the first error: HW_STATUS_* or HW_SKYWAY_* */
    hw_ref at;                      /* the address of the object at fault at the time of the error; 0: none */
    uint32_t registry, resets, phase, stream, owner, oldest;
    uint8_t *segment; /* header of the segment under way; NULL: none */
    uint8_t *top;     /* where the next object goes */
    uint8_t *tops;    /* the roots of the segment, downwards from the sink's limit */
    uint32_t base;    /* relative address of the segment's first object */
    uint32_t free;    /* relative address for the next object that is reached for the first time */
    /* relative address of the next object that a unit has numbered and software has not met since; it is queued when
     * software meets it; 0: there is none */
    uint32_t again;
    uint32_t last;  /* bytes that the last root added that added any, in any buffer */
    uint32_t roots; /* of the stream so far */
    uint32_t types; /* highest type id so far */
    /* a unit has stopped within a root of this buffer, and not for want of room. Software does the rest of the buffer,
     * because it must repeat what a unit has done up to a stop */
    bool alone;
    /* roots that a unit processed, and those that it left to software, wholly or in part (assist.h) */
    uint32_t commands, fallbacks;
    uint32_t refills;     /* refills of the queue; each takes a walk through the heap */
    uint32_t bound, span; /* of the heap */
    struct skyway_queue queue;
    struct skyway_shared shared;
    struct skyway_roots queue_roots, shared_roots;
    /* the part of the queue's memory that a unit borrows while it runs: 64-byte aligned, 1 << lent_log bytes; NULL: the
     * queue is too small */
    void *lent;
    uint32_t lent_log;
    /* of the receiver, if fields have to be placed anew; NULL: bodies of objects are the same there */
    const struct hw_skyway_format *format;
    struct skyway_places *places; /* with `format`: places of fields that are known; NULL: none */
};

/* The number by which other machines know this machine's streams. Whoever sets up the machine chooses it. */
extern uint32_t hw_skyway_sender;

/* Opens a stream. `work`, 8-byte aligned and outside the heap, belongs to the stream until it is closed. One half is
 * for waiting objects, 4 bytes each. Room for one suffices, and room for all objects of a graph is more than ever
 * needed; with less, a walk through the heap brings in those that did not fit. The other half is for objects that other
 * streams have claimed, 16 bytes each. The sink's buffer must have at least 128 bytes. */
void hw_skyway_output_open(struct hw_skyway_output *stream, struct hw_skyway_sink *sink, void *work,
                           uint32_t work_bytes, struct hw_skyway_layout receiver);

/* Makes a stream that was just opened one for a heap of this format, which must exist as long as the stream. If the
 * work area has 1024 bytes or more, up to 2056 of them then keep the places of fields. Returns false, with
 * HW_SKYWAY_BAD_FORMAT, for a format that no heap can have, and for a stream that is in use or has a format. */
bool hw_skyway_output_for(struct hw_skyway_output *stream, const struct hw_skyway_format *receiver);

/* writeObject: clones those objects of the graph of `root` (NULL: null) that have not been sent in this buffer. A
 * safepoint before it begins and whenever the sink sends. */
bool hw_skyway_write(struct hw_skyway_output *stream, hw_handle root);

/* Sends the contents of the output buffer. */
bool hw_skyway_flush(struct hw_skyway_output *stream);

/* Ends the buffer under way; the next write begins another. */
bool hw_skyway_output_end(struct hw_skyway_output *stream);

/* Ends the buffer under way and closes the stream. */
bool hw_skyway_output_close(struct hw_skyway_output *stream);

/* Forgets the first error. */
static inline void hw_skyway_output_clear(struct hw_skyway_output *stream) {
    stream->status = HW_STATUS_OK;
    stream->at = 0;
}

#endif
