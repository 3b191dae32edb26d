/* Programs of single cases: CASE(name) {...} defines a case. PROGRAM NAME ... runs the case, and ends with 0 if it
 * passes; PROGRAM prints the names of all cases (tests/common/case_program.py). */
#ifndef TEST_CASES_H
#define TEST_CASES_H

#include <string.h>

#include "expect.h"

struct test_case {
    const char *name;
    void (*run)(void);
    struct test_case *next;
};

/* The cases of all sources of a program. */
__attribute__((weak)) struct test_case *test_cases;

#define CASE(name)                                                    \
    static void name(void);                                           \
    __attribute__((constructor)) static void name##_is_a_case(void) { \
        static struct test_case self = {#name, name, NULL};           \
        self.next = test_cases;                                       \
        test_cases = &self;                                           \
    }                                                                 \
    static void name(void)

static inline int run_case(int argc, char **argv) {
    for (const struct test_case *each = test_cases; each; each = each->next) {
        if (argc < 2) puts(each->name);
        if (argc > 1 && strcmp(argv[1], each->name) == 0) {
            each->run();
            return 0;
        }
    }
    return argc < 2 ? 0 : 2;
}

#endif
