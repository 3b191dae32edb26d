#include "peers/objects/object_stream.h"

#include "peers/java/java.h"
#include "peers/kryo/kryo.h"

struct hw_objects_result hw_peer_write(enum hw_peer peer, void *codec, hw_handle root, void *output,
                                       uint32_t capacity) {
    if (peer == HW_PEER_JAVA) return hw_java_write(codec, root, output, capacity);
    return (peer == HW_PEER_KRYO ? hw_kryo_write : hw_kryo_manual_write)(codec, root, output, capacity);
}

struct hw_objects_result hw_peer_read(enum hw_peer peer, void *codec, const void *input, uint32_t length,
                                      hw_handle *root) {
    if (peer == HW_PEER_JAVA) return hw_java_read(codec, input, length, root);
    return (peer == HW_PEER_KRYO ? hw_kryo_read : hw_kryo_manual_read)(codec, input, length, root);
}

static bool write_object(struct hw_object_output *stream, hw_handle object) {
    struct hw_peer_object_output *made = (struct hw_peer_object_output *)stream;

    made->result = hw_peer_write(made->peer, made->codec, object, made->at, (uint32_t)(made->limit - made->at));
    made->at += made->result.bytes;
    return made->result.status == HW_OBJECTS_OK;
}

static bool close_output(struct hw_object_output *stream) {
    return ((struct hw_peer_object_output *)stream)->result.status == HW_OBJECTS_OK;
}

static bool read_object(struct hw_object_input *stream, hw_handle *object) {
    struct hw_peer_object_input *made = (struct hw_peer_object_input *)stream;

    made->result = hw_peer_read(made->peer, made->codec, made->at, (uint32_t)(made->limit - made->at), object);
    if (made->result.status != HW_OBJECTS_OK) return false;
    made->at += made->result.bytes;
    return true;
}

struct hw_object_output *hw_peer_object_output(struct hw_peer_object_output *made, enum hw_peer peer, void *codec,
                                               void *memory, uint32_t bytes) {
    *made = (struct hw_peer_object_output){.stream = {.write_object = write_object, .close = close_output},
                                           .peer = peer,
                                           .codec = codec,
                                           .at = memory,
                                           .limit = (uint8_t *)memory + bytes};
    return &made->stream;
}

struct hw_object_input *hw_peer_object_input(struct hw_peer_object_input *made, enum hw_peer peer, void *codec,
                                             const void *memory, uint32_t bytes) {
    *made = (struct hw_peer_object_input){.stream = {.read_object = read_object},
                                          .peer = peer,
                                          .codec = codec,
                                          .at = memory,
                                          .limit = (const uint8_t *)memory + bytes};
    return &made->stream;
}
