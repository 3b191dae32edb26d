/* The peers behind one interface, and behind that of object streams (runtime/object_stream.h): consecutive streams in
 * memory, one per root. */
#ifndef HW_PEERS_OBJECTS_OBJECT_STREAM_H
#define HW_PEERS_OBJECTS_OBJECT_STREAM_H

#include "peers/objects/result.h"
#include "runtime/object_stream.h"

enum hw_peer { HW_PEER_JAVA, HW_PEER_KRYO, HW_PEER_KRYO_MANUAL };

/* Writes the graph of `root` (NULL: a null) by a peer, as one stream. `codec` is a `struct hw_java` or a `struct
 * hw_kryo`. Fields must hold objects of their declared types, as a program or this reader stores them. Readers that do
 * not check classes and values (of Cereal's format, of memory images) do not guarantee this. No object moves meanwhile:
 * not a safepoint. */
struct hw_objects_result hw_peer_write(enum hw_peer peer, void *codec, hw_handle root, void *output, uint32_t capacity);

/* Reads one stream. `*root` is a local handle; NULL for a null and on an error. The input must not move. A
 * safepoint. */
struct hw_objects_result hw_peer_read(enum hw_peer peer, void *codec, const void *input, uint32_t length,
                                      hw_handle *root);

struct hw_peer_object_output {
    struct hw_object_output stream;
    enum hw_peer peer;
    void *codec;
    uint8_t *at, *limit;
    struct hw_objects_result result; /* of the last write */
};

struct hw_peer_object_input {
    struct hw_object_input stream;
    enum hw_peer peer;
    void *codec;
    const uint8_t *at, *limit;
    struct hw_objects_result result; /* of the last read */
};

struct hw_object_output *hw_peer_object_output(struct hw_peer_object_output *made, enum hw_peer peer, void *codec,
                                               void *memory, uint32_t bytes);
struct hw_object_input *hw_peer_object_input(struct hw_peer_object_input *made, enum hw_peer peer, void *codec,
                                             const void *memory, uint32_t bytes);

#endif
