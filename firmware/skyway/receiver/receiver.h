/* The parts of an input stream, for its files alone. */
#ifndef HW_SKYWAY_RECEIVER_RECEIVER_H
#define HW_SKYWAY_RECEIVER_RECEIVER_H

#include "skyway/receiver/input.h"
#include "runtime/compiler.h"

/* Always false. */
COLD bool skyway_reject(struct hw_skyway_input *stream, int status, uint32_t at);

/* Room for a segment of so many bytes of objects behind the others, in the last chunk or in a new one. A safepoint. */
bool skyway_chunk_room(struct hw_skyway_input *stream, uint32_t bytes);

/* Whether the segment under way, which begins at `at` of what has come, is all of the buffer and all there, as are tops and end behind it, which are as they must be and
 * want nothing of the driver: then there is no safepoint before the pass. */
bool skyway_is_whole(const struct hw_skyway_input *stream, const uint8_t *at, const uint8_t *limit);

/* Copies such a segment to its chunk, of which `absolutized` bytes are as the pass makes them. */
void skyway_take_at_once(struct hw_skyway_input *stream, const uint8_t *at);

/* Gives all chunks up. */
void skyway_chunks_drop(struct hw_skyway_input *stream);

/* The linear pass over the chunks: classes for type ids, references for relative addresses, everything checked. No safepoint. */
bool skyway_absolutize(struct hw_skyway_input *stream);

#endif
