/* The three peers behind one interface, a heap for them, and what the programs share. */
#ifndef TEST_PEERS_ENGINES_H
#define TEST_PEERS_ENGINES_H

#include "../../../../tests/common/expect.h"
#include "peers/java/java.h"
#include "peers/kryo/kryo.h"

struct engine {
    const char *name;
    struct hw_objects_result (*write)(hw_handle root, void *output, uint32_t capacity);
    struct hw_objects_result (*read)(const void *input, uint32_t length, hw_handle *root);
};

#define ENGINES 3
extern const struct engine engines[ENGINES]; /* java, kryo, manual */

/* Reads a copy of the input in memory of its exact size, so that ASan detects reads beyond it. */
struct hw_objects_result read_by(const struct engine *engine, const void *input, uint32_t length, hw_handle *root);

/* The same. Ends the program, and prints the result, unless it is this one. */
hw_handle read_as(const struct engine *engine, const void *input, uint32_t length, enum hw_objects_status status,
                  uint32_t bytes);

/* The codecs of the engines: java_codec of java, kryo_codec of kryo and manual. */
extern struct hw_java java_codec;
extern struct hw_kryo kryo_codec;

const struct engine *engine_find(const char *name);

/* Sets up memory, classes, a heap of `bytes` with its enums, and codecs with `workspace` bytes each. */
void engines_init(uint32_t bytes, bool stress, uint32_t workspace);

/* Makes the heap again, empty, in `bytes` bytes of memory. Handles become invalid. */
void engines_renew(uint32_t bytes);

/* Returns the bytes of a file, in new memory. */
uint8_t *file_read(const char *path, uint32_t *length);
void file_write(const char *path, const void *bytes, uint32_t length);

/* Returns whether the walker finds no fault. */
bool walks(void);

/* Sets up the engines for a case, with a heap of 8 MB, and says where its streams are. */
void streams_open(const char *folder);

/* Return a stream NAME.ENGINE that a JVM wrote to the folder, as bytes and as objects. */
uint8_t *stream(const char *name, const char *engine, uint32_t *length);
hw_handle load(const char *name, const struct engine *engine);

hw_handle string(const char *text);

#define FIELD(object, type, name) (*(type *)((char *)hw_handle_object(object) + HW_CLASS_##name))

#endif
