/* Steps in the load region, answers in the fixed region; behind the answers the memory that malloc gives out, all of
 * which is free again after each step. */
#include <stdlib.h>
#include <string.h>

#include "../expect.h"
#include "runtime/regions.h"
#include "script.h"

#define ANSWERS_BYTES (HW_FIXED_BYTES / 4)
#define STORE_BASE (HW_FIXED_BASE + ANSWERS_BYTES)
#define STORE_BYTES (HW_FIXED_BYTES - ANSWERS_BYTES)
#define ALIGNMENT 64u

static uint32_t answered, stored;

void *malloc(size_t bytes) {
    uint32_t *block = hw_pointer(STORE_BASE + stored);

    stored += ALIGNMENT + ((uint32_t)bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    EXPECT(stored <= STORE_BYTES);
    block[0] = (uint32_t)bytes;
    return block + ALIGNMENT / 4;
}

void *aligned_alloc(size_t alignment, size_t bytes) {
    EXPECT(alignment <= ALIGNMENT);
    return malloc(bytes);
}

void *calloc(size_t count, size_t bytes) { return memset(malloc(count * bytes), 0, count * bytes); }

void *realloc(void *block, size_t bytes) {
    return memcpy(malloc(bytes), block, ((uint32_t *)block)[-(int)(ALIGNMENT / 4)]);
}

void free(void *block) { (void)block; }

void script_put(const void *data, size_t bytes) {
    EXPECT(8 + answered + bytes <= ANSWERS_BYTES);
    memcpy(hw_pointer(HW_FIXED_BASE + 8 + answered), data, bytes);
    answered += (bytes + 3) / 4 * 4;
}

void script_run(void) {
    for (const uint32_t *step = hw_pointer(HW_LOAD_BASE); *step; step += 5 + step[4]) {
        stored = 0;
        script_do(step);
    }
    *(uint32_t *)hw_pointer(HW_FIXED_BASE) = answered;
}
