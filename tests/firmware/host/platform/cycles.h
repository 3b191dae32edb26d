/* The host build measures nothing: counters that count their readings. */
#ifndef TEST_PLATFORM_CYCLES_H
#define TEST_PLATFORM_CYCLES_H

#include <stdint.h>

static inline uint32_t cycles_now(void)
{
    static uint32_t readings;

    return ++readings;
}

static inline uint32_t instructions_now(void)
{
    return cycles_now();
}

static inline uint64_t cycles_long(void)
{
    return cycles_now();
}

static inline uint64_t instructions_long(void)
{
    return cycles_now();
}

#endif
