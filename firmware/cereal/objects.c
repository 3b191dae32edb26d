#include "cereal/cereal.h"

static bool write_object(struct hw_object_output *stream, hw_handle object) {
    struct hw_cereal_object_output *made = (struct hw_cereal_object_output *)stream;

    return hw_cereal_write(made->context, made->output, object);
}

/* Each object was a complete stream, so there is nothing to write. */
static bool close_output(struct hw_object_output *stream) {
    return ((struct hw_cereal_object_output *)stream)->context->status == HW_STATUS_OK;
}

static bool read_object(struct hw_object_input *stream, hw_handle *object) {
    struct hw_cereal_object_input *made = (struct hw_cereal_object_input *)stream;

    return hw_cereal_read(made->context, made->input, object);
}

struct hw_object_output *hw_cereal_object_output(struct hw_cereal_object_output *made, struct hw_cereal *context,
                                                 struct hw_cereal_output *output) {
    *made = (struct hw_cereal_object_output){
        .stream = {.write_object = write_object, .close = close_output}, .context = context, .output = output};
    return &made->stream;
}

struct hw_object_input *hw_cereal_object_input(struct hw_cereal_object_input *made, struct hw_cereal *context,
                                               struct hw_cereal_input *input) {
    *made = (struct hw_cereal_object_input){.stream = {.read_object = read_object}, .context = context, .input = input};
    return &made->stream;
}
