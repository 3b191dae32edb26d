/* Graphs of the managed heap into streams (docs/cereal.md), in software: engine `cereal-sw`, and what finishes what the
 * unit does not do.
 *
 * Nothing recurses, nothing is a safepoint. Of the objects only the metadata change: what this serialization has
 * numbered is marked with its epoch and its relative address, as the unit does it; an object that another open
 * serialization has marked goes into a table of this one's (shared.h).
 */
#ifndef HW_CEREAL_CODEC_WRITE_H
#define HW_CEREAL_CODEC_WRITE_H

#include "runtime/object.h"

struct cereal_writing {
    hw_ref object;
    void *output;        /* 16-byte aligned */
    uint32_t output_bytes;
    void *work;          /* 8-byte aligned: holds the packed references and the objects that are not written yet */
    uint32_t work_bytes;
    uint32_t bound, limit; /* objects are read within [bound, limit) only */
    uint32_t epoch;      /* open, and of this serialization alone */
};

struct cereal_written {
    int status;          /* HW_STATUS_* */
    uint32_t length;     /* of the stream; 0 on an error, when the output is undefined */
    uint32_t objects, graph;
    hw_ref at;           /* on an error: the object at fault, 0 if none is */
};

/* Work area that suffices for this many objects and reference slots of them, if other serializations hold none. A multiple of 64, of which units use whole ones. */
static inline uint32_t cereal_work_bytes(uint32_t objects, uint32_t references)
{
    return (16 * objects + 5 * references + 64 + 63) / 64 * 64;
}

/* Statuses: BAD_OBJECT, UNREGISTERED_CLASS, OUTPUT_FULL (a graph of 2^29 bytes or more, too), WORK_FULL, BAD_ALIGNMENT. */
struct cereal_written cereal_write(const struct cereal_writing *writing);

#endif
