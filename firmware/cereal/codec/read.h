/* The software that reads streams into images (docs/reference/cereal.md): engine `cereal-sw`. It also executes the
 * commands that the unit cannot.
 *
 * It trusts nothing in a stream and writes nothing outside the image and the work area. The caller publishes the image;
 * until then nothing refers to it. After an error its contents are undefined.
 */
#ifndef HW_CEREAL_CODEC_READ_H
#define HW_CEREAL_CODEC_READ_H

#include "cereal/codec/format.h"
#include "runtime/object.h"
#include "units/status.h"

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
