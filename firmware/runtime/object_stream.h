/* Object streams: what a program sees of a serializer. Which one it uses is said where the stream is made, nowhere else.
 *
 *   struct hw_kryo_object_output kryo;                         struct hw_skyway_object_output skyway;
 *   stream = hw_kryo_object_output(&kryo, &codec, ...);        stream = hw_skyway_object_output(&skyway, &sink, ...);
 *
 *   hw_write_object(stream, first) && hw_write_object(stream, second) && hw_close_objects(stream)
 *
 * Roots are read in the order they were written. Whether two roots share what both reach is the serializer's business: with Skyway they do.
 */
#ifndef HW_RUNTIME_OBJECT_STREAM_H
#define HW_RUNTIME_OBJECT_STREAM_H

#include <stdbool.h>

#include "runtime/handle.h"

struct hw_object_output {
    bool (*write_object)(struct hw_object_output *stream, hw_handle object);
    bool (*close)(struct hw_object_output *stream);
};

struct hw_object_input {
    bool (*read_object)(struct hw_object_input *stream, hw_handle *object);
};

/* Writes an object and what it leads to; NULL: a null. A safepoint. False: the serializer's own state says why. */
static inline bool hw_write_object(struct hw_object_output *stream, hw_handle object)
{
    return stream->write_object(stream, object);
}

/* Everything that was written is on its way, and readers need no more to read it. */
static inline bool hw_close_objects(struct hw_object_output *stream)
{
    return stream->close(stream);
}

/* The next object, in a new local handle, or NULL for a null. A safepoint. False: there is none, or an error. */
static inline bool hw_read_object(struct hw_object_input *stream, hw_handle *object)
{
    return stream->read_object(stream, object);
}

#endif
