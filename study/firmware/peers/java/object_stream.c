#include "peers/java/object_stream.h"

static bool write_object(struct hw_object_output *stream, hw_handle object) {
    struct hw_java_object_output *made = (struct hw_java_object_output *)stream;

    made->result = hw_java_write(made->codec, object, made->at, (uint32_t)(made->limit - made->at));
    made->at += made->result.bytes;
    return made->result.status == HW_OBJECTS_OK;
}

static bool close_output(struct hw_object_output *stream) {
    return ((struct hw_java_object_output *)stream)->result.status == HW_OBJECTS_OK;
}

static bool read_object(struct hw_object_input *stream, hw_handle *object) {
    struct hw_java_object_input *made = (struct hw_java_object_input *)stream;

    made->result = hw_java_read(made->codec, made->at, (uint32_t)(made->limit - made->at), object);
    if (made->result.status != HW_OBJECTS_OK) return false;
    made->at += made->result.bytes;
    return true;
}

struct hw_object_output *hw_java_object_output(struct hw_java_object_output *made, struct hw_java *codec, void *memory,
                                               uint32_t bytes) {
    *made = (struct hw_java_object_output){.stream = {.write_object = write_object, .close = close_output},
                                           .codec = codec,
                                           .at = memory,
                                           .limit = (uint8_t *)memory + bytes};
    return &made->stream;
}

struct hw_object_input *hw_java_object_input(struct hw_java_object_input *made, struct hw_java *codec,
                                             const void *memory, uint32_t bytes) {
    *made = (struct hw_java_object_input){
        .stream = {.read_object = read_object}, .codec = codec, .at = memory, .limit = (const uint8_t *)memory + bytes};
    return &made->stream;
}
