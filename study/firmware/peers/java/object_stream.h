/* Java serialization behind the interface of object streams (runtime/object_stream.h), over memory: consecutive
 * streams, one per root. */
#ifndef HW_PEERS_JAVA_OBJECT_STREAM_H
#define HW_PEERS_JAVA_OBJECT_STREAM_H

#include "peers/java/java.h"
#include "peers/objects/result.h"
#include "runtime/object_stream.h"

struct hw_java_object_output {
    struct hw_object_output stream;
    struct hw_java *codec;
    uint8_t *at, *limit;
    struct hw_objects_result result; /* of the last write */
};

struct hw_java_object_input {
    struct hw_object_input stream;
    struct hw_java *codec;
    const uint8_t *at, *limit;
    struct hw_objects_result result; /* of the last read */
};

struct hw_object_output *hw_java_object_output(struct hw_java_object_output *made, struct hw_java *codec, void *memory,
                                               uint32_t bytes);
struct hw_object_input *hw_java_object_input(struct hw_java_object_input *made, struct hw_java *codec,
                                             const void *memory, uint32_t bytes);

#endif
