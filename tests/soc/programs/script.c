#include "script.h"

#include <stdlib.h>
#include <string.h>

#include "../../cereal/host/graph.h"
#include "../../common/expect.h"

#define STORE_BASE (BUFFERS_BASE + BUFFERS_BYTES)
#define STORE_BYTES (HW_FIXED_BYTES / 4)

static uint8_t *answers;
static uint32_t stored;

void *malloc(size_t bytes) {
    uint32_t *block = hw_pointer(STORE_BASE + stored);

    stored += 8 + ((uint32_t)bytes + 7) / 8 * 8;
    EXPECT(stored <= STORE_BYTES);
    block[0] = (uint32_t)bytes;
    return block + 2;
}

void *calloc(size_t count, size_t bytes) {
    void *block = malloc(count * bytes);

    return memset(block, 0, count * bytes);
}

void *realloc(void *block, size_t bytes) { return memcpy(malloc(bytes), block, ((uint32_t *)block)[-2]); }

void free(void *block) { (void)block; }

void exit(int code) { hw_finish_now(code); }

void script_open(void) { answers = hw_pointer(HW_FIXED_BASE + 8); }

void script_empty_store(void) { stored = 0; }

void script_put(const void *data, size_t bytes) {
    EXPECT((size_t)(answers - (uint8_t *)hw_pointer(HW_FIXED_BASE)) + bytes <= ANSWERS_BYTES);
    memcpy(answers, data, bytes);
    answers += (bytes + 3) / 4 * 4;
}

void script_put_word(uint32_t word) { script_put(&word, sizeof word); }

void script_put_graph(uint32_t root) {
    hw_ref *objects;
    uint32_t count, *words = test_describe(root, &count, &objects);

    script_put_word(count);
    script_put(words, count * sizeof *words);
}

void script_close(void) {
    *(uint32_t *)hw_pointer(HW_FIXED_BASE) = (uint32_t)(answers - (uint8_t *)hw_pointer(HW_FIXED_BASE + 8));
}
