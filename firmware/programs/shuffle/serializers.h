/* The serializers that shuffling programs can choose from, each by the constructor of its streams over memory. */
#ifndef HW_PROGRAMS_SHUFFLE_SERIALIZERS_H
#define HW_PROGRAMS_SHUFFLE_SERIALIZERS_H

#include "runtime/object_stream.h"

struct shuffle_serializer {
    const char *name; /* java, kryo-generic, kryo-manual, cereal-sw, hw, skyway-sw, skyway-hw */
    /* Before a worker's first phase, when another serializer may have been at work. False: this machine has no unit for it. NULL: nothing is to do. */
    bool (*begin)(void);
    /* A shuffling phase begins; NULL: nothing is to do. */
    bool (*shuffle_start)(void);
    /* A stream to memory, one at a time; then, when it is closed, its bytes. */
    struct hw_object_output *(*output)(uint8_t *data, uint32_t capacity);
    uint32_t (*written)(void);
    /* A stream from memory, one at a time; then, when nothing more is read from it: what it holds goes. NULL: nothing. */
    struct hw_object_input *(*input)(const uint8_t *data, uint32_t bytes);
    void (*release)(void);
    /* Commands that software has done in a unit's stead since the last call; NULL: none ever. */
    uint32_t (*fallbacks)(void);
};

extern const struct shuffle_serializer shuffle_serializers[];
extern const uint32_t shuffle_serializer_count;

/* NULL: there is none of this name. */
const struct shuffle_serializer *shuffle_serializer(const char *name);

/* Once, after hw_heap_init, hw_classes_init and hw_enums_init: gives the serializers `bytes` of memory, 64-byte aligned, and registers the
 * classes with Cereal. Skyway's classes are the caller's to load, when the machine drives or has joined a registry
 * (hw_skyway_load_java_classes). False: too little memory. */
bool shuffle_serializers_init(void *memory, uint32_t bytes);

#endif
