/* Skyway behind the interface of object streams (runtime/object_stream.h). */
#ifndef HW_SKYWAY_OBJECT_STREAM_H
#define HW_SKYWAY_OBJECT_STREAM_H

#include "runtime/object_stream.h"
#include "skyway/receiver/input.h"
#include "skyway/sender/output.h"

struct hw_skyway_object_output {
    struct hw_object_output stream;
    struct hw_skyway_output output; /* has the status */
};

struct hw_skyway_object_input {
    struct hw_object_input stream;
    struct hw_skyway_input input; /* has the status, and the buffer to free */
};

/* The arguments are those of hw_skyway_output_open and hw_skyway_input_open. */
struct hw_object_output *hw_skyway_object_output(struct hw_skyway_object_output *made, struct hw_skyway_sink *sink,
                                                 void *work, uint32_t work_bytes, struct hw_skyway_layout receiver);
struct hw_object_input *hw_skyway_object_input(struct hw_skyway_object_input *made, struct hw_skyway_source *source,
                                               void *work, uint32_t work_bytes, struct hw_skyway_layout own);

#endif
