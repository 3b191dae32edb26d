/* The checks of test programs. The first that fails is printed and ends the program. */
#ifndef TEST_CHECK_H
#define TEST_CHECK_H

#include <stdio.h>

#include "platform/finish.h"

#define CHECK(condition)                                           \
    do {                                                           \
        if (!(condition)) {                                        \
            printf("%s:%d: %s\n", __FILE__, __LINE__, #condition); \
            hw_finish_now(1);                                      \
        }                                                          \
    } while (0)

#endif
