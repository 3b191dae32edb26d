/* Clones in the format of another heap. Only for the sender's own files. */
#ifndef HW_SKYWAY_SENDER_ADJUST_H
#define HW_SKYWAY_SENDER_ADJUST_H

#include "skyway/sender/sender.h"

/* Adds the words of the format to a buffer's header. */
COLD void skyway_adjust_header(const struct hw_skyway_output *stream, struct skyway_header *header);

/* skyway_clone_bytes for a stream with a format: more than SKYWAY_LIMIT for a clone that no stream has room for. */
COLD uint32_t skyway_adjusted_bytes(const struct hw_skyway_output *stream, const struct hw_klass *klass,
                                    uint32_t length);

/* skyway_clone_part for a stream with a format. The caller claims objects (heap/claims.h). */
COLD bool skyway_adjust(struct hw_skyway_output *stream, hw_ref object, const struct hw_klass *klass, uint32_t from,
                        uint32_t limit, void *to);

#endif
