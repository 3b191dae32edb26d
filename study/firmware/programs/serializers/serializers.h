/* The serializers that are measured: whole graphs in one buffer (bench), and streams of objects (shuffle). */
#ifndef HW_PROGRAMS_SERIALIZERS_H
#define HW_PROGRAMS_SERIALIZERS_H

#include "records/serializers.h"
#include "runtime/object_stream.h"

/* The outcome of writing or reading a graph. */
struct serializer_outcome {
    uint32_t bytes;  /* of the stream; 0: it failed */
    uint32_t status; /* the serializer's own; 0: no error */
};

/* Memory is outside the heap and 64-byte aligned. A NULL among the functions: nothing to do. */
struct serializer {
    bool cereal, skyway; /* whose streams the host also writes */

    /* Called before anything else, since another serializer may have run before. Returns false if this machine has no
     * unit for the serializer. */
    bool (*begin)(void);
    /* Called for each new heap in which graphs are written and read, behind `begin`. Returns false if it fails. */
    bool (*begin_graphs)(void);
    struct serializer_outcome (*write)(hw_handle root, void *output, uint32_t capacity);
    struct serializer_outcome (*read)(const void *input, uint32_t length, hw_handle *root);

    /* Begins a shuffling phase. */
    bool (*shuffle_start)(void);
    /* Opens a stream to memory, one at a time. When it is closed, `written` returns its bytes. */
    struct hw_object_output *(*output)(const struct serializer *serializer, uint8_t *data, uint32_t capacity);
    uint32_t (*written)(void);
    /* Opens a stream from memory, one at a time. When nothing more is read from it, `release` frees what it holds. */
    struct hw_object_input *(*input)(const struct serializer *serializer, const uint8_t *data, uint32_t bytes);
    void (*release)(void);

    /* Returns the number of commands that software has executed instead of a unit since the last call. NULL: always
     * 0. */
    uint32_t (*fallbacks)(void);
};

/* By numbers (enum serializer_number). */
extern const struct serializer serializers[SERIALIZERS];

const char *serializer_name(const struct serializer *serializer);

/* Returns the serializer of this name, or NULL. */
const struct serializer *serializer_of(const char *name);

/* Gives the serializers `bytes` bytes of memory, and registers every class that has metadata with Cereal, in the order
 * of ids. To be called after hw_classes_init. Before a stream is opened, the caller loads Skyway's classes
 * (hw_skyway_load_java_classes), once the machine drives or has joined a registry. Returns false if the memory is too
 * small. */
bool serializers_open(void *memory, uint32_t bytes);

/* Returns the part of the memory that Cereal and Skyway use in turn. */
void *serializers_work(uint32_t *bytes);

#endif
