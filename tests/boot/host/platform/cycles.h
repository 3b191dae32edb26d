/* The clock of the host build: microseconds, FASTER times as fast as real time. FASTER is an environment variable. */
#ifndef TEST_PLATFORM_CYCLES_H
#define TEST_PLATFORM_CYCLES_H

#include <stdint.h>

uint32_t cycles_now(void);

#endif
