/* SkywayObjectInputStream: input buffers in the heap, filled by a sender (docs/reference/skyway.md, "Receiving").
 *
 *   struct hw_skyway_input stream;
 *   hw_skyway_input_open(&stream, &source, work, sizeof work, HW_SKYWAY_LAYOUT_METADATA);
 *   while (hw_skyway_read(&stream, &root))      waits until the root's whole buffer has arrived
 *       ... stream.buffer is that buffer ...
 *   if (stream.status != HW_SKYWAY_END)
 *       ... stream.status, stream.at ...
 *   hw_skyway_free(buffer);                             its objects then live only as long as something refers to them
 */
#ifndef HW_SKYWAY_RECEIVER_INPUT_H
#define HW_SKYWAY_RECEIVER_INPUT_H

#include <stdbool.h>

#include "skyway/format.h"
#include "skyway/medium.h"
#include "records/status.h"
#include "runtime/thread.h"
#include "units/status.h"
#include "runtime/klass.h"

/* A chunk of an input buffer: a run of the large space. */
struct skyway_chunk {
    hw_ref run;
    uint32_t base;  /* relative address of its first object */
    uint32_t bytes; /* in use */
    uint32_t room;
};

enum skyway_state { SKYWAY_AT_HEADER, SKYWAY_AT_SEGMENT, SKYWAY_IN_OBJECTS, SKYWAY_IN_TOPS, SKYWAY_WHOLE };

struct hw_skyway_input {
    struct hw_skyway_source *source;
    struct hw_skyway_layout layout; /* of this machine */
    hw_status status;               /* the first error, or HW_SKYWAY_END */
    uint32_t at;     /* for BAD_STREAM the offset in the stream, else the relative address of the object at fault */
    uint32_t buffer; /* the last buffer that arrived; 0: none */
    uint32_t chunk_bytes;                     /* of a regular chunk */
    uint32_t registry, sender, phase, stream; /* from the buffer's header */
    uint32_t resets;                          /* resets of this machine's registry when the buffer began */
    enum skyway_state state;
    uint32_t offset; /* in the stream */
    uint32_t got;    /* bytes of the header, the objects or the tops under way that have arrived */
    union {
        struct skyway_header header;
        struct skyway_segment segment;
    } head;
    struct skyway_segment segment; /* the segment under way */
    uint32_t free;                 /* relative address behind the last object */
    struct skyway_chunk *chunks;   /* grow upwards in the work area */
    uint32_t chunk_count, last_hit;
    hw_ref *tops; /* grow downwards from the work area's end: first relative addresses, then references */
    uint32_t top_count, top_next, work_bytes;
    uint32_t commands, fallbacks; /* buffers that a unit processed, and those that it left to software (assist.h) */
    uint32_t absolutized;         /* bytes of the first chunk that are already processed before the pass (at_once.c) */
    bool updates;                 /* the buffer has an object of a class with an update function */
};

/* Opens a stream. `work`, 8-byte aligned and outside the heap, belongs to the stream: 16 bytes per chunk and 4 per
 * root. `own` says whether classes have metadata; its alignment is the runtime's. */
void hw_skyway_input_open(struct hw_skyway_input *stream, struct hw_skyway_source *source, void *work,
                          uint32_t work_bytes, struct hw_skyway_layout own);

/* readObject: reads the next root into a new local handle; `*root` is NULL for a null. Receives the next buffer if this
 * one has no more roots: a safepoint. Returns false on an error, or with HW_SKYWAY_END at the end of the source between
 * two buffers. After an error nothing of the buffer is in the heap. */
bool hw_skyway_read(struct hw_skyway_input *stream, hw_handle *root);

/* Frees a buffer: its objects live from now on only as long as something refers to them. */
void hw_skyway_free(uint32_t buffer);

/* For media that deliver bytes as they arrive: takes up to `bytes` of them. Takes fewer when a buffer is complete
 * (state SKYWAY_WHOLE), and then none at all until its roots have been read. Returns false on an error. A safepoint. */
bool hw_skyway_take(struct hw_skyway_input *stream, const uint8_t *data, uint32_t bytes, uint32_t *taken);

/* Forgets an incomplete buffer, and the error. */
void hw_skyway_input_restart(struct hw_skyway_input *stream);

/* registerUpdate: fields that get a new value when an object has arrived (docs/reference/skyway.md, "Updates"). */

#define HW_SKYWAY_UPDATES 32

/* Sets the field at `offset` of an object that has just arrived. The whole buffer has arrived, and no one else has seen
 * it. May be a safepoint. Returns false to reject the buffer. */
typedef bool hw_skyway_update(hw_handle object, uint32_t offset, void *context);

/* Registers `update`: from now on it is called for each arriving object of exactly this class, in the order of
 * registration. Returns false if there are too many. */
bool hw_skyway_register_update(const struct hw_klass *klass, uint32_t offset, hw_skyway_update *update, void *context);

/* Forgets all registered functions. */
void hw_skyway_forget_updates(void);

/* Return whether any class, or this class, has update functions. */
bool skyway_any_updated(void);
bool skyway_is_updated(const struct hw_klass *klass);

/* Calls the functions that are registered for the object. Returns false if one of them does. */
bool skyway_update(hw_ref object);

#endif
