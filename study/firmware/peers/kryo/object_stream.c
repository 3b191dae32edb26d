#include "peers/kryo/object_stream.h"

#include "peers/kryo/manual.h"

static bool write_object(struct hw_object_output *stream, hw_handle object) {
    struct hw_kryo_object_output *made = (struct hw_kryo_object_output *)stream;

    made->result = made->write(made->codec, object, made->at, (uint32_t)(made->limit - made->at));
    made->at += made->result.bytes;
    return made->result.status == HW_OBJECTS_OK;
}

static bool close_output(struct hw_object_output *stream) {
    return ((struct hw_kryo_object_output *)stream)->result.status == HW_OBJECTS_OK;
}

static bool read_object(struct hw_object_input *stream, hw_handle *object) {
    struct hw_kryo_object_input *made = (struct hw_kryo_object_input *)stream;

    made->result = made->read(made->codec, made->at, (uint32_t)(made->limit - made->at), object);
    if (made->result.status != HW_OBJECTS_OK) return false;
    made->at += made->result.bytes;
    return true;
}

struct hw_object_output *hw_kryo_object_output(struct hw_kryo_object_output *made, struct hw_kryo *codec, void *memory,
                                               uint32_t bytes) {
    *made = (struct hw_kryo_object_output){.stream = {.write_object = write_object, .close = close_output},
                                           .write = hw_kryo_write,
                                           .codec = codec,
                                           .at = memory,
                                           .limit = (uint8_t *)memory + bytes};
    return &made->stream;
}

struct hw_object_input *hw_kryo_object_input(struct hw_kryo_object_input *made, struct hw_kryo *codec,
                                             const void *memory, uint32_t bytes) {
    *made = (struct hw_kryo_object_input){.stream = {.read_object = read_object},
                                          .read = hw_kryo_read,
                                          .codec = codec,
                                          .at = memory,
                                          .limit = (const uint8_t *)memory + bytes};
    return &made->stream;
}

struct hw_object_output *hw_kryo_manual_object_output(struct hw_kryo_object_output *made, struct hw_kryo *codec,
                                                      void *memory, uint32_t bytes) {
    struct hw_object_output *stream = hw_kryo_object_output(made, codec, memory, bytes);

    made->write = hw_kryo_manual_write;
    return stream;
}

struct hw_object_input *hw_kryo_manual_object_input(struct hw_kryo_object_input *made, struct hw_kryo *codec,
                                                    const void *memory, uint32_t bytes) {
    struct hw_object_input *stream = hw_kryo_object_input(made, codec, memory, bytes);

    made->read = hw_kryo_manual_read;
    return stream;
}
