/* Kryo (generic) behind the interface of object streams (runtime/object_stream.h), over memory: consecutive streams,
 * one per root. */
#ifndef HW_PEERS_KRYO_OBJECT_STREAM_H
#define HW_PEERS_KRYO_OBJECT_STREAM_H

#include "peers/kryo/kryo.h"
#include "peers/objects/result.h"
#include "runtime/object_stream.h"

struct hw_kryo_object_output {
    struct hw_object_output stream;
    struct hw_objects_result (*write)(struct hw_kryo *codec, hw_handle root, void *output, uint32_t capacity);
    struct hw_kryo *codec;
    uint8_t *at, *limit;
    struct hw_objects_result result; /* of the last write */
};

struct hw_kryo_object_input {
    struct hw_object_input stream;
    struct hw_objects_result (*read)(struct hw_kryo *codec, const void *input, uint32_t length, hw_handle *root);
    struct hw_kryo *codec;
    const uint8_t *at, *limit;
    struct hw_objects_result result; /* of the last read */
};

struct hw_object_output *hw_kryo_object_output(struct hw_kryo_object_output *made, struct hw_kryo *codec, void *memory,
                                               uint32_t bytes);
struct hw_object_input *hw_kryo_object_input(struct hw_kryo_object_input *made, struct hw_kryo *codec,
                                             const void *memory, uint32_t bytes);

/* The same with hand-written serializers. */
struct hw_object_output *hw_kryo_manual_object_output(struct hw_kryo_object_output *made, struct hw_kryo *codec,
                                                      void *memory, uint32_t bytes);
struct hw_object_input *hw_kryo_manual_object_input(struct hw_kryo_object_input *made, struct hw_kryo *codec,
                                                    const void *memory, uint32_t bytes);

#endif
