/* The codec of streams (docs/reference/cereal.md): their header, whose numbers are in heapwire.h, writing and reading.
 */
#ifndef HW_CEREAL_CODEC_CODEC_H
#define HW_CEREAL_CODEC_CODEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "heapwire.h"
#include "runtime/object.h"
#include "units/status.h"

struct cereal_header {
    uint32_t magic;
    uint8_t version, flags;
    uint16_t reserved;
    uint32_t class_set;
    uint32_t objects;
    uint32_t graph;
    uint32_t values, references, layouts; /* bytes of each section */
};

#define CEREAL_LIES(field, at) _Static_assert(offsetof(struct cereal_header, field) == (at), #field)
CEREAL_LIES(magic, HW_CEREAL_HEADER_MAGIC);
CEREAL_LIES(version, HW_CEREAL_HEADER_VERSION);
CEREAL_LIES(flags, HW_CEREAL_HEADER_FLAGS);
CEREAL_LIES(reserved, HW_CEREAL_HEADER_RESERVED);
CEREAL_LIES(class_set, HW_CEREAL_HEADER_CLASS_SET);
CEREAL_LIES(objects, HW_CEREAL_HEADER_OBJECTS);
CEREAL_LIES(graph, HW_CEREAL_HEADER_GRAPH);
CEREAL_LIES(values, HW_CEREAL_HEADER_VALUES);
CEREAL_LIES(references, HW_CEREAL_HEADER_REFERENCES);
CEREAL_LIES(layouts, HW_CEREAL_HEADER_LAYOUTS);
_Static_assert(sizeof(struct cereal_header) == HW_CEREAL_HEADER_SIZE, "header of a stream");
#undef CEREAL_LIES

static inline uint32_t cereal_round(uint32_t bytes) {
    return (bytes + (HW_CEREAL_ALIGNMENT - 1)) & ~(uint32_t)(HW_CEREAL_ALIGNMENT - 1);
}

/* The software that writes graphs of the managed heap into streams (docs/reference/cereal.md): engine `cereal-sw`. It
 * also executes the commands that the unit cannot.
 *
 * It does not recurse and is no safepoint. It changes only the metadata of objects: an object that it has numbered is
 * claimed with its epoch and gets its relative address, as by the unit. An object that another open serialization has
 * claimed goes into a table of this serialization (writer.h).
 */

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

/* The software that reads streams into images (docs/reference/cereal.md): engine `cereal-sw`. It also executes the
 * commands that the unit cannot.
 *
 * It trusts nothing in a stream and writes nothing outside the image and the work area. The caller publishes the image;
 * until then nothing refers to it. After an error its contents are undefined.
 */

struct cereal_read {
    hw_status status;  /* HW_STATUS_* */
    uint32_t offset;   /* on an error: of the word, or of the first bucket of the item, that is at fault */
    hw_ref root, top;  /* the first object; the image's end */
    uint32_t consumed; /* bytes of the stream */
};

/* Checks the header of the stream at `input`, 4-byte aligned. `consumed` becomes the length of the stream. */
struct cereal_read cereal_check_header(const void *input, uint32_t length);

/* Returns the most room that the image of a stream with a sound header takes: what the header says, or less if the
 * sections cannot describe as much. */
uint32_t cereal_image_bytes(const struct cereal_header *header);

/* Returns the bytes of work area for such an image. */
static inline uint32_t cereal_read_work(uint32_t image_bytes) { return 2 * 4 * ((image_bytes + 255) / 256); }

/* Builds the image of the stream of at most `length` bytes at `input`, 16-byte aligned, in [image, image_limit), 8-byte
 * aligned. Statuses: BAD_STREAM, BAD_VALUE, BAD_REFERENCE, BAD_LAYOUT, FIXED_ARENA_FULL (less than cereal_image_bytes),
 * WORK_FULL (less than cereal_read_work), BAD_ALIGNMENT. */
struct cereal_read cereal_read(const void *input, uint32_t length, hw_ref image, hw_ref image_limit, void *work,
                               uint32_t work_bytes);

#endif
