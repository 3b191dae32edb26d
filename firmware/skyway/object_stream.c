#include "skyway/object_stream.h"

static bool write_object(struct hw_object_output *stream, hw_handle object) {
    return hw_skyway_write(&((struct hw_skyway_object_output *)stream)->output, object);
}

static bool close_output(struct hw_object_output *stream) {
    return hw_skyway_output_close(&((struct hw_skyway_object_output *)stream)->output);
}

static bool read_object(struct hw_object_input *stream, hw_handle *object) {
    return hw_skyway_read(&((struct hw_skyway_object_input *)stream)->input, object);
}

struct hw_object_output *hw_skyway_object_output(struct hw_skyway_object_output *made, struct hw_skyway_sink *sink,
                                                 void *work, uint32_t work_bytes, struct hw_skyway_layout receiver) {
    made->stream = (struct hw_object_output){.write_object = write_object, .close = close_output};
    hw_skyway_output_open(&made->output, sink, work, work_bytes, receiver);
    return &made->stream;
}

struct hw_object_input *hw_skyway_object_input(struct hw_skyway_object_input *made, struct hw_skyway_source *source,
                                               void *work, uint32_t work_bytes, struct hw_skyway_layout own) {
    made->stream = (struct hw_object_input){.read_object = read_object};
    hw_skyway_input_open(&made->input, source, work, work_bytes, own);
    return &made->stream;
}
