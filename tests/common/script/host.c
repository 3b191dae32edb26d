/* Steps from standard input, answers to standard output. */
#include <stdlib.h>

#include "../expect.h"
#include "script.h"

#define HEAD_WORDS 5

void script_put(const void *data, size_t bytes) {
    static const uint8_t zeros[4];

    if (bytes) EXPECT(fwrite(data, 1, bytes, stdout) == bytes && fwrite(zeros, 1, -bytes % 4, stdout) == -bytes % 4);
}

void script_run(void) {
    uint32_t capacity = 1024, *step = malloc(capacity * sizeof *step);

    while (fread(step, sizeof *step, HEAD_WORDS, stdin) == HEAD_WORDS) {
        uint32_t count = step[HEAD_WORDS - 1];

        if (HEAD_WORDS + count > capacity) step = realloc(step, (capacity = 2 * (HEAD_WORDS + count)) * sizeof *step);
        EXPECT(fread(step + HEAD_WORDS, sizeof *step, count, stdin) == count);
        script_do(step);
        fflush(stdout);
    }
    free(step);
}
