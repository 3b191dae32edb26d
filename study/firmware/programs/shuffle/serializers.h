/* The serializers of shuffling programs, each with the constructors of its streams over memory. */
#ifndef HW_PROGRAMS_SHUFFLE_SERIALIZERS_H
#define HW_PROGRAMS_SHUFFLE_SERIALIZERS_H

#include "runtime/object_stream.h"

struct shuffle_serializer {
    const char *name; /* java, kryo-generic, kryo-manual, cereal-sw, hw, skyway-sw, skyway-hw */
    /* Called before a worker's first phase, since another serializer may have run before. Returns false if this machine
     * has no unit for the serializer. NULL: nothing to do. */
    bool (*begin)(void);
    /* Begins a shuffling phase. NULL: nothing to do. */
    bool (*shuffle_start)(void);
    /* Opens a stream to memory, one at a time. When it is closed, `written` returns its bytes. */
    struct hw_object_output *(*output)(uint8_t *data, uint32_t capacity);
    uint32_t (*written)(void);
    /* Opens a stream from memory, one at a time. When nothing more is read from it, `release` frees what it holds.
     * NULL: nothing to free. */
    struct hw_object_input *(*input)(const uint8_t *data, uint32_t bytes);
    void (*release)(void);
    /* Returns the number of commands that software has executed instead of a unit since the last call. NULL: always
     * 0. */
    uint32_t (*fallbacks)(void);
};

extern const struct shuffle_serializer shuffle_serializers[];
extern const uint32_t shuffle_serializer_count;

/* Returns the serializer of this name, or NULL. */
const struct shuffle_serializer *shuffle_serializer(const char *name);

/* Gives the serializers `bytes` bytes of memory, 64-byte aligned, and registers the classes with Cereal. Call it once,
 * after hw_heap_init, hw_classes_init and hw_enums_init. The caller loads Skyway's classes
 * (hw_skyway_load_java_classes) once the machine drives or has joined a registry. Returns false if the memory is too
 * small. */
bool shuffle_serializers_init(void *memory, uint32_t bytes);

#endif
