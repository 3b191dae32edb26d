#include "memory_test.h"

/* One window at the start of each eighth of the memory, each as large as a way of the largest cache. The windows lie in
 * the same sets, and there are more of them than ways, so all words are evicted to the SDRAM before they are read. */
#define WINDOWS 8u
#define WINDOW_BYTES 8192u

#define GOLDEN 0x9e3779b1u /* odd, so that words at different addresses differ */

/* The action of a pass on each word. Returns false to end the pass. */
typedef bool (*visit)(volatile uint32_t *word, uint32_t expected, struct memory_fault *fault);

static bool write(volatile uint32_t *word, uint32_t expected, struct memory_fault *fault) {
    (void)fault;
    *word = expected;
    return true;
}

static bool check(volatile uint32_t *word, uint32_t expected, struct memory_fault *fault) {
    fault->expected = expected;
    fault->found = *word;
    return fault->found == expected;
}

static bool visit_word(volatile uint32_t *memory, uint32_t offset, uint32_t flip, visit visit,
                       struct memory_fault *fault) {
    fault->offset = offset;
    return visit(memory + offset / 4, (offset * GOLDEN) ^ flip, fault);
}

static bool visit_all(volatile uint32_t *memory, uint32_t bytes, uint32_t flip, visit visit,
                      struct memory_fault *fault) {
    /* One word for each address line that does not change within a window. If such a line is stuck, the word coincides
     * with one of a window, or with another of these words. */
    for (uint32_t line = WINDOW_BYTES; line < bytes; line <<= 1)
        if (!visit_word(memory, line, flip, visit, fault)) return false;
    for (uint32_t window = 0; window < bytes; window += bytes / WINDOWS)
        for (uint32_t offset = window; offset < window + WINDOW_BYTES; offset += 4)
            if (!visit_word(memory, offset, flip, visit, fault)) return false;
    return true;
}

bool memory_test(volatile uint32_t *memory, uint32_t bytes, struct memory_fault *fault) {
    /* Two rounds with inverted data, so that every bit has both values. */
    for (uint32_t flip = 0;; flip = ~flip) {
        visit_all(memory, bytes, flip, write, fault);
        if (!visit_all(memory, bytes, flip, check, fault)) return false;
        if (flip) return true;
    }
}
