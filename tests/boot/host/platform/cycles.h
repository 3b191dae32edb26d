/* The clock of the host build: microseconds, FASTER (of the environment) times as fast as the real ones. */
#ifndef TEST_PLATFORM_CYCLES_H
#define TEST_PLATFORM_CYCLES_H

#include <stdint.h>

uint32_t cycles_now(void);

#endif
