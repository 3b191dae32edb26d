/* EXPECT(condition): a test program, on this host or on the SoC, ends at the first condition that does not hold, and
 * prints it. */
#ifndef TEST_EXPECT_H
#define TEST_EXPECT_H

#include <stdio.h>

#ifdef __riscv
#include "platform/finish.h"
#define TEST_END hw_finish_now
#else
#include <stdlib.h>
#define TEST_END exit
#endif

#define EXPECT(condition)                                          \
    do {                                                           \
        if (!(condition)) {                                        \
            printf("%s:%d: %s\n", __FILE__, __LINE__, #condition); \
            TEST_END(3);                                           \
        }                                                          \
    } while (0)

#endif
