/* Executes a script on the software codec (tests/common/script/script.h). */
#include "../operations.c"

#include "cereal/codec/codec.h"
#include "memory.h"

/* Behind the heaps: images are built here without being adopted. */
#define IMAGE_BASE (TEST_HEAP_BASE + (61u << 20))
#define IMAGE_BYTES (2u << 20)

/* words: as those of `read`. Reads the stream into an image of exactly the needed size, and then into the heap. Answers
 * an outcome and a number for each. */
static void try_graph(const uint32_t *words) {
    uint32_t bytes = words[2];
    uint8_t *stream = malloc(bytes ? bytes : 16);
    struct cereal_read read;

    memcpy(stream, words + 3, bytes);
    read = cereal_check_header(stream, bytes);
    if (read.status == HW_STATUS_OK) {
        uint32_t image_bytes = cereal_image_bytes((struct cereal_header *)stream), need = cereal_read_work(image_bytes);
        void *area = malloc(need);

        EXPECT(image_bytes <= IMAGE_BYTES);
        guard_set(IMAGE_BASE, image_bytes);
        read = cereal_read(stream, bytes, IMAGE_BASE, IMAGE_BASE + image_bytes, area, need);
        guard_check(IMAGE_BASE, image_bytes);
        free(area);
    }
    script_put_word((uint32_t)read.status);
    script_put_word(0);
    script_put_word(read.status == HW_STATUS_OK ? read.consumed : read.offset);
    free(stream);
    read_graph(words);
}

const struct script_operation script_operations[] = {CEREAL_OPERATIONS, {"try", try_graph}, {0}};

int main(void) {
    memory_map();
    limits((const uint32_t[]){1 << 20, 1 << 20});
    script_run();
    test_walk();
    hw_collect(true);
    test_walk();
    return 0;
}
