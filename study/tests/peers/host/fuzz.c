/* fuzz SEED COUNT FILE...: mutates streams NAME.ENGINE. Each mutated stream ends in an error whose offset lies in the
 * input, or in a graph. Each engine writes the graph, unless it does not support it, and reads the result again. Prints
 * how many streams were read and how many were rejected. */
#include <string.h>

#include "engines.h"

#define MAX_FILES 512
#define MAX_BYTES 6000
#define CAPACITY (1u << 20)

static uint64_t state;

static uint32_t next_random(uint32_t below) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state >> 33) % below;
}

/* Replaces a string in Java's stream by a reference to any object, for example the string of a list's element. Returns
 * the new length. */
static uint32_t refer(uint8_t *bytes, uint32_t length) {
    for (uint32_t tries = 200, at; tries && length > 8; tries--) {
        at = next_random(length - 8);
        uint32_t text = (uint32_t)bytes[at + 1] << 8 | bytes[at + 2], end = at + 3 + text;

        if (bytes[at] != 0x74 || text < 2 || end > length) continue;
        memcpy(bytes + at, (const uint8_t[]){0x71, 0, 0x7e, 0, (uint8_t)next_random(128)}, 5);
        memmove(bytes + at + 5, bytes + end, length - end);
        return length - (text - 2);
    }
    return length;
}

static uint32_t mutate(uint8_t *bytes, uint32_t length) {
    static const uint8_t telling[] = {0,    1,    2,    3,    0x7f, 0x80, 0x81, 0xff, 0x70,
                                      0x71, 0x72, 0x73, 0x74, 0x75, 0x77, 0x78, 0x7c, 0x7e};

    for (uint32_t left = 1 + next_random(4); left && length; left--) {
        uint32_t at = next_random(length), other = next_random(length), count = 1 + next_random(16);

        switch (next_random(9)) {
            case 0:
                bytes[at] = (uint8_t)next_random(256);
                break;
            case 1:
                bytes[at] ^= (uint8_t)(1u << next_random(8));
                break;
            case 2:
                bytes[at] = telling[next_random(sizeof telling)];
                break;
            case 3: /* overwrites a piece with another */
                count = count < length - at ? count : length - at;
                count = count < length - other ? count : length - other;
                memmove(bytes + at, bytes + other, count);
                break;
            case 4: /* removes a piece */
                count = count < length - at ? count : length - at;
                memmove(bytes + at, bytes + at + count, length - at - count);
                length -= count;
                break;
            case 5: /* doubles a piece */
                count = count < length - at ? count : length - at;
                memmove(bytes + at + count, bytes + at, length - at);
                length += count;
                break;
            case 6:
                bytes[at] = (uint8_t)(bytes[at] + (next_random(2) ? 1 : -1));
                break;
            case 7: /* may be a length or a reference in Kryo's stream */
                bytes[at] = (uint8_t)(2 + next_random(48));
                break;
            default:
                length = refer(bytes, length);
        }
    }
    return next_random(20) ? length : next_random(length + 1);
}

/* Reads what was written, to its end, and writes it again: the number of bytes must be the same. */
static void again(const struct engine *engine, const uint8_t *bytes, uint32_t length) {
    static uint8_t output[CAPACITY];
    hw_scope scope = hw_scope_open();
    hw_handle copy;
    struct hw_objects_result read = read_by(engine, bytes, length, &copy);

    if (read.status != HW_OBJECTS_NO_MEMORY) {
        if (read.status != HW_OBJECTS_OK || read.bytes != length)
            printf("%s cannot read its own: status %d at %u of %u\n", engine->name, read.status, read.bytes, length);
        EXPECT(read.status == HW_OBJECTS_OK && read.bytes == length);
        struct hw_objects_result written = engine->write(copy, output, CAPACITY);

        EXPECT(written.status == HW_OBJECTS_OK && written.bytes == length);
    }
    hw_error_clear();
    hw_scope_close(scope);
}

int main(int count, char **arguments) {
    static struct {
        const struct engine *engine;
        uint8_t *bytes;
        uint32_t length;
    } files[MAX_FILES];
    uint32_t rich[2], rich_count = 0; /* files with lists and maps whose elements have a declared class */
    uint32_t file_count = 0, read = 0, refused = 0, statuses[16] = {0};
    uint8_t *output = malloc(CAPACITY);

    engines_init(8u << 20, false, 8u << 20);
    state = strtoul(arguments[1], NULL, 0);
    for (int i = 3; i < count && file_count < MAX_FILES; i++) {
        files[file_count].engine = engine_find(strrchr(arguments[i], '.') + 1);
        files[file_count].bytes = file_read(arguments[i], &files[file_count].length);
        if (files[file_count].engine && files[file_count].length <= MAX_BYTES) {
            if (rich_count < 2 && (strstr(arguments[i], "/media.java") || strstr(arguments[i], "/fields.java")))
                rich[rich_count++] = file_count;
            file_count++;
        } else {
            free(files[file_count].bytes);
        }
    }
    for (uint32_t i = 0; i < strtoul(arguments[2], NULL, 0); i++) {
        /* nothing else is changed then, so that the stream has a chance to be read */
        bool refers = rich_count && next_random(4) == 0;
        uint32_t file = refers ? rich[next_random(rich_count)] : next_random(file_count), length = files[file].length;
        uint8_t *larger = malloc(length + 64);
        hw_scope scope = hw_scope_open();
        hw_handle root;

        memcpy(larger, files[file].bytes, length);
        length = refers ? refer(larger, length) : mutate(larger, length);
        struct hw_objects_result result = read_by(files[file].engine, larger, length, &root);

        EXPECT(result.bytes <= length && (result.status == HW_OBJECTS_OK || !root));
        statuses[result.status]++;
        if (result.status == HW_OBJECTS_OK) {
            read++;
            for (uint32_t k = 0; k < ENGINES; k++) {
                struct hw_objects_result written = engines[k].write(root, output, CAPACITY);

                EXPECT(written.status == HW_OBJECTS_OK || written.status == HW_OBJECTS_UNSUPPORTED ||
                       written.status == HW_OBJECTS_BAD_TYPE || written.status == HW_OBJECTS_OUTPUT_FULL);
                if (written.status == HW_OBJECTS_OK) again(&engines[k], output, written.bytes);
            }
        } else {
            refused++;
        }
        hw_error_clear();
        free(larger);
        if (i % 256 == 0) EXPECT(walks());
        hw_scope_close(scope);
    }
    EXPECT(walks());
    printf("read %u refused %u by status", read, refused);
    for (uint32_t i = 1; i < HW_OBJECTS_COLLISIONS + 1u; i++) printf(" %u", statuses[i]);
    printf("\n");
    free(output);
    while (file_count) free(files[--file_count].bytes);
    return 0;
}
