#define _GNU_SOURCE
#include "engines.h"

#include <string.h>
#include <sys/mman.h>

#include "runtime/heap/walk.h"
#include "runtime/java/class.h"
#include "runtime/java/string.h"

/* Below 4 GB, so that references are addresses; separate from the memory of the other host programs, because it is
 * larger. */
#define HEAP_BASE 0x40000000u

struct hw_java java_codec;
struct hw_kryo kryo_codec;
static struct hw_heap_options options;
static const char *folder;
/* keeps them reachable for the leak check if a case gives the codecs other workspaces */
static void *volatile workspaces[2];

#define ENGINE(name, codec)                                                                            \
    static struct hw_objects_result name##_write(hw_handle root, void *output, uint32_t capacity) {    \
        return hw_##name##_write(&codec, root, output, capacity);                                      \
    }                                                                                                  \
    static struct hw_objects_result name##_read(const void *input, uint32_t length, hw_handle *root) { \
        return hw_##name##_read(&codec, input, length, root);                                          \
    }

ENGINE(java, java_codec)
ENGINE(kryo, kryo_codec)
ENGINE(kryo_manual, kryo_codec)

const struct engine engines[ENGINES] = {
    {"java", java_write, java_read},
    {"kryo", kryo_write, kryo_read},
    {"manual", kryo_manual_write, kryo_manual_read},
};

struct hw_objects_result read_by(const struct engine *engine, const void *input, uint32_t length, hw_handle *root) {
    uint8_t *exact = malloc(length ? length : 1);

    memcpy(exact, input, length);
    struct hw_objects_result result = engine->read(exact, length, root);

    free(exact);
    return result;
}

hw_handle read_as(const struct engine *engine, const void *input, uint32_t length, enum hw_objects_status status,
                  uint32_t bytes) {
    hw_handle root;
    struct hw_objects_result result = read_by(engine, input, length, &root);

    if (result.status != status || result.bytes != bytes || (status != HW_OBJECTS_OK && root)) {
        printf("%s: status %d at %u\n", engine->name, result.status, result.bytes);
        exit(3);
    }
    return root;
}

const struct engine *engine_find(const char *name) {
    for (uint32_t i = 0; i < ENGINES; i++)
        if (strcmp(engines[i].name, name) == 0) return &engines[i];
    return NULL;
}

void engines_renew(uint32_t bytes) {
    void *wanted = (void *)(uintptr_t)HEAP_BASE;

    if (options.bytes) munmap(wanted, options.bytes);
    EXPECT(mmap(wanted, bytes, PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0) == wanted);
    options.bytes = bytes;
    EXPECT(hw_heap_init(&options));
    EXPECT(hw_enums_init());
}

void engines_init(uint32_t bytes, bool stress, uint32_t workspace) {
    hw_classes_init();
    options = (struct hw_heap_options){
        .base = HEAP_BASE, .stress = stress, .poison = stress, .verify = stress ? hw_heap_verify : NULL};
    engines_renew(bytes);
    EXPECT(hw_java_open(&java_codec, workspaces[0] = malloc(workspace), workspace));
    EXPECT(hw_kryo_open(&kryo_codec, workspaces[1] = malloc(workspace), workspace));
}

uint8_t *file_read(const char *path, uint32_t *length) {
    FILE *file = fopen(path, "rb");

    if (!file) {
        perror(path);
        exit(2);
    }
    fseek(file, 0, SEEK_END);
    *length = (uint32_t)ftell(file);
    rewind(file);
    uint8_t *bytes = malloc(*length + 1);

    EXPECT(fread(bytes, 1, *length, file) == *length);
    fclose(file);
    return bytes;
}

void file_write(const char *path, const void *bytes, uint32_t length) {
    FILE *file = fopen(path, "wb");

    if (!file || fwrite(bytes, 1, length, file) != length || fclose(file) != 0) {
        perror(path);
        exit(2);
    }
}

bool walks(void) {
    struct hw_walk walk;

    if (!hw_heap_walk(&walk)) printf("heap: %s\n", walk.fault);
    return !walk.fault;
}

void streams_open(const char *from) {
    folder = from;
    engines_init(8u << 20, false, 64u << 20);
}

uint8_t *stream(const char *name, const char *engine, uint32_t *length) {
    char path[512];

    snprintf(path, sizeof path, "%s/%s.%s", folder, name, engine);
    return file_read(path, length);
}

hw_handle load(const char *name, const struct engine *engine) {
    uint32_t length;
    uint8_t *bytes = stream(name, engine->name, &length);
    hw_handle root = read_as(engine, bytes, length, HW_OBJECTS_OK, length);

    free(bytes);
    return root;
}

hw_handle string(const char *text) { return hw_string_from_utf8(text, (uint32_t)strlen(text)); }
