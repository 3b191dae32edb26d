/* The software that writes graphs of the managed heap into streams (docs/reference/cereal.md): engine `cereal-sw`. It
 * also executes the commands that the unit cannot.
 *
 * It does not recurse and is no safepoint. It changes only the metadata of objects: an object that it has numbered is
 * claimed with its epoch and gets its relative address, as by the unit. An object that another open serialization has
 * claimed goes into a table of this serialization (writer.h).
 */
#ifndef HW_CEREAL_CODEC_WRITE_H
#define HW_CEREAL_CODEC_WRITE_H

#include "runtime/object.h"
#include "units/status.h"

struct cereal_writing {
    hw_ref object;
    void *output; /* 16-byte aligned */
    uint32_t output_bytes;
    void *work; /* 8-byte aligned; holds the packed references and the objects that are not written yet */
    uint32_t work_bytes;
    uint32_t bound, limit; /* objects are read only within [bound, limit) */
    uint32_t epoch;        /* open, and used by this serialization only */
};

struct cereal_written {
    hw_status status; /* HW_STATUS_* */
    uint32_t length;  /* of the stream; 0 on an error, when the contents of the output are undefined */
    uint32_t objects, graph;
    hw_ref at; /* on an error: the object at fault, or 0 */
};

/* Returns a work area that suffices for this many objects and their reference slots, if no other serialization has
 * claimed any. A multiple of 64, because units use whole blocks of 64 bytes. */
static inline uint32_t cereal_work_bytes(uint32_t objects, uint32_t references) {
    return (16 * objects + 5 * references + 64 + 63) / 64 * 64;
}

/* Writes a graph as one stream. Statuses: BAD_OBJECT, UNREGISTERED_CLASS, OUTPUT_FULL (also for a graph of 2^29 bytes
 * or more), WORK_FULL, BAD_ALIGNMENT. */
struct cereal_written cereal_write(const struct cereal_writing *writing);

#endif
