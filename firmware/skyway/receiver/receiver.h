/* The parts of an input stream. Only for its own files. */
#ifndef HW_SKYWAY_RECEIVER_RECEIVER_H
#define HW_SKYWAY_RECEIVER_RECEIVER_H

#include "skyway/receiver/input.h"
#include "runtime/compiler.h"

/* Stores the first error of a stream. Returns false. */
COLD bool skyway_reject(struct hw_skyway_input *stream, hw_status status, uint32_t at);

/* Makes room for a segment of this many bytes of objects behind the previous ones, in the last chunk or in a new one. A
 * safepoint. */
bool skyway_chunk_room(struct hw_skyway_input *stream, uint32_t bytes);

/* Returns whether the segment under way, whose objects begin at `at`, is the whole buffer and has arrived completely,
 * with sound tops and a sound end that need no question to the driver. There is then no safepoint before the pass. */
bool skyway_is_whole(const struct hw_skyway_input *stream, const uint8_t *at, const uint8_t *limit);

/* Copies such a segment to its chunk. Sets `absolutized` to the number of bytes that are already as the pass would
 * leave them. */
void skyway_take_at_once(struct hw_skyway_input *stream, const uint8_t *at);

/* Gives up all chunks. */
COLD_CALL void skyway_chunks_drop(struct hw_skyway_input *stream);

/* The linear pass over the chunks: replaces type ids by classes and relative addresses by references, and checks
 * everything. No safepoint. */
bool skyway_absolutize(struct hw_skyway_input *stream);

#endif
