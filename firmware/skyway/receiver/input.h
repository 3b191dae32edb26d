/* SkywayObjectInputStream: input buffers in the heap, filled by a sender (docs/skyway.md, "Receiving").
 *
 *   struct hw_skyway_input stream;
 *   hw_skyway_input_open(&stream, &source, work, sizeof work, HW_SKYWAY_LAYOUT_METADATA);
 *   while (hw_skyway_read_object(&stream, &root))      waits until the buffer the root is in has arrived as a whole
 *       ... stream.buffer is that buffer ...
 *   if (stream.status != HW_SKYWAY_END)
 *       ... stream.status, stream.at ...
 *   hw_skyway_free(buffer);                             its objects live on by what leads to them
 */
#ifndef HW_SKYWAY_RECEIVER_INPUT_H
#define HW_SKYWAY_RECEIVER_INPUT_H

#include "skyway/format.h"
#include "skyway/medium.h"
#include "skyway/status.h"
#include "runtime/handle.h"

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
    struct hw_skyway_layout layout; /* this machine's */
    int status;          /* first error; HW_SKYWAY_END too */
    uint32_t at;         /* ... of BAD_STREAM the offset in the stream, else the relative address of the object at fault */
    uint32_t buffer;     /* the last one that arrived, 0: none */
    uint32_t chunk_bytes; /* of a regular chunk */
    uint32_t registry, sender, phase, stream; /* as the buffer says */
    uint32_t resets;     /* of this machine's registry, when the buffer began */
    enum skyway_state state;
    uint32_t offset;     /* in the stream */
    uint32_t got;        /* of the header, the objects or the tops under way, bytes */
    union {
        struct skyway_header header;
        struct skyway_segment segment;
    } head;
    struct skyway_segment segment; /* the one under way */
    uint32_t free;       /* relative address behind the last object */
    struct skyway_chunk *chunks; /* upwards in the work area */
    uint32_t chunk_count, last_hit;
    hw_ref *tops;        /* downwards from its end: relative addresses, then references */
    uint32_t top_count, top_next, work_bytes;
    uint32_t commands, fallbacks; /* buffers by a unit, and those that it left to software (assist.h) */
    uint32_t absolutized; /* bytes of the first chunk that are in order before the pass comes to them (at_once.c) */
    bool updates;        /* an object of a class with an update function is in the buffer */
};

/* `work`, 8-byte aligned and outside the heap, is the stream's: 16 bytes a chunk, 4 a root. Classes have metadata, or have
 * none, as `own` says; its alignment is the runtime's. */
void hw_skyway_input_open(struct hw_skyway_input *stream, struct hw_skyway_source *source, void *work, uint32_t work_bytes,
                          struct hw_skyway_layout own);

/* readObject: the next root, in a new local handle; `*root` is NULL for a null. Takes in the next buffer when there are no
 * more in this one: a safepoint. False: an error, or, at the end of the source between two buffers, HW_SKYWAY_END. After an error
 * nothing of the buffer is in the heap. */
bool hw_skyway_read_object(struct hw_skyway_input *stream, hw_handle *root);

/* The buffer's objects live from now on by what leads to them. */
void hw_skyway_free(uint32_t buffer);

/* For media that bring bytes when they come: takes up to `bytes` of them, fewer when a buffer is whole (state SKYWAY_WHOLE), and
 * then not even one until its roots have been read. False: an error. A safepoint. */
bool hw_skyway_take(struct hw_skyway_input *stream, const uint8_t *data, uint32_t bytes, uint32_t *taken);

/* Forgets what has come of a buffer that is not whole, and an error. */
void hw_skyway_input_restart(struct hw_skyway_input *stream);

#endif
