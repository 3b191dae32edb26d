/* Streams into images (docs/cereal.md), in software: engine `cereal-sw`, and what finishes what the unit does not do.
 *
 * Nothing in a stream is trusted, and nothing outside the image and the work area is written. The image is unlinked
 * memory until the caller publishes it; after an error it is undefined.
 */
#ifndef HW_CEREAL_CODEC_READ_H
#define HW_CEREAL_CODEC_READ_H

#include "cereal/codec/format.h"
#include "runtime/object.h"

struct cereal_read {
    int status;        /* HW_STATUS_* */
    uint32_t offset;   /* on an error: of the word, or of the first bucket of the item, at fault */
    hw_ref root, top;  /* the first object; the image's end */
    uint32_t consumed; /* bytes of the stream */
};

/* Looks at the header of the stream at `input`, 4-byte aligned. */
struct cereal_read cereal_check_header(const void *input, uint32_t length);

/* Room that the image of a stream with a sound header takes at most: what the header says, or less if the sections
 * cannot tell of so much. */
uint32_t cereal_image_bytes(const struct cereal_header *header);

/* Bytes of work area for such an image. */
static inline uint32_t cereal_read_work(uint32_t image_bytes)
{
    return 2 * 4 * ((image_bytes + 255) / 256);
}

/* Builds the image of the stream of at most `length` bytes at `input`, 16-byte aligned, from `image`, 8-byte aligned,
 * to below `image_limit`. Statuses: BAD_STREAM, BAD_VALUE, BAD_REFERENCE, BAD_LAYOUT, FIXED_ARENA_FULL (less than
 * cereal_image_bytes), WORK_FULL (less than cereal_read_work), BAD_ALIGNMENT. */
struct cereal_read cereal_read(const void *input, uint32_t length, hw_ref image, hw_ref image_limit, void *work,
                               uint32_t work_bytes);

#endif
