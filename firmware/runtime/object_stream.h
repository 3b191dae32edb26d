/* Object streams: the interface of all serializers. The program names its serializer only where it makes the stream.
 *
 *   struct hw_cereal_object_output cereal;                     struct hw_skyway_object_output skyway;
 *   stream = hw_cereal_object_output(&cereal, &context, &to);  stream = hw_skyway_object_output(&skyway, &sink, ...);
 *
 *   hw_objects_write(stream, first) && hw_objects_write(stream, second) && hw_objects_close(stream)
 *
 * Roots are read in the order in which they were written. Whether two roots share the objects that both reach depends
 * on the serializer; with Skyway they do.
 */
#ifndef HW_RUNTIME_OBJECT_STREAM_H
#define HW_RUNTIME_OBJECT_STREAM_H

#include <stdbool.h>

#include "runtime/thread.h"

struct hw_object_output {
    bool (*write_object)(struct hw_object_output *stream, hw_handle object);
    bool (*close)(struct hw_object_output *stream);
};

struct hw_object_input {
    bool (*read_object)(struct hw_object_input *stream, hw_handle *object);
};

/* Writes the graph of an object; NULL stands for null. A safepoint. Returns false on an error; the serializer's own
 * state says which. */
static inline bool hw_objects_write(struct hw_object_output *stream, hw_handle object) {
    return stream->write_object(stream, object);
}

/* Completes the stream: sends everything that was written, so that readers can read all of it. */
static inline bool hw_objects_close(struct hw_object_output *stream) { return stream->close(stream); }

/* Reads the next object into a new local handle, or NULL for a null. A safepoint. Returns false if there is none, or on
 * an error. */
static inline bool hw_objects_read(struct hw_object_input *stream, hw_handle *object) {
    return stream->read_object(stream, object);
}

#endif
