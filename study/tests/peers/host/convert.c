/* convert FOLDER FILE... [stress]: reads each stream that a JVM wrote, NAME.ENGINE, and writes its objects with every
 * engine to FOLDER/NAME.ENGINE-OTHER. With `stress` the heap collects at every allocation. */
#include <string.h>

#include "engines.h"

#define CAPACITY (32u << 20)

static uint8_t *output;

static void convert(const char *folder, const char *path) {
    const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path, *dot = strrchr(name, '.');
    const struct engine *from = dot ? engine_find(dot + 1) : NULL;
    uint32_t length;
    hw_handle root;

    if (!from) return;
    uint8_t *input = file_read(path, &length);
    struct hw_objects_result read = read_by(from, input, length, &root);

    if (read.status != HW_OBJECTS_OK || read.bytes != length) {
        printf("%s: status %d at %u of %u\n", name, read.status, read.bytes, length);
        exit(3);
    }
    for (uint32_t i = 0; i < ENGINES; i++) {
        struct hw_objects_result written = engines[i].write(root, output, CAPACITY);
        char target[512];

        if (written.status == HW_OBJECTS_UNSUPPORTED && i == 2) continue;
        if (written.status != HW_OBJECTS_OK) {
            printf("%s to %s: status %d\n", name, engines[i].name, written.status);
            exit(3);
        }
        snprintf(target, sizeof target, "%s/%s-%s", folder, name, engines[i].name);
        file_write(target, output, written.bytes);
    }
    free(input);
}

int main(int count, char **arguments) {
    bool stress = strcmp(arguments[count - 1], "stress") == 0;

    engines_init(stress ? 8u << 20 : 128u << 20, stress, 64u << 20);
    output = malloc(CAPACITY);
    for (int i = 2; i < count - stress; i++) {
        hw_scope scope = hw_scope_open();

        convert(arguments[1], arguments[i]);
        EXPECT(walks());
        hw_scope_close(scope);
    }
    free(output);
    return 0;
}
