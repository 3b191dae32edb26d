/* The core's counters. */
#ifndef HW_PLATFORM_CYCLES_H
#define HW_PLATFORM_CYCLES_H

#include <stdint.h>

/* Return the low words. Differences are right below 2^32. */
static inline uint32_t cycles_now(void) {
    uint32_t value;

    __asm__ volatile("csrr %0, mcycle" : "=r"(value)::"memory");
    return value;
}

static inline uint32_t instructions_now(void) {
    uint32_t value;

    __asm__ volatile("csrr %0, minstret" : "=r"(value)::"memory");
    return value;
}

static inline uint64_t counter_pair(uint32_t high, uint32_t low) { return (uint64_t)high << 32 | low; }

static inline uint64_t cycles_long(void) {
    uint32_t high, low, again;

    do __asm__ volatile("csrr %0, mcycleh\n csrr %1, mcycle\n csrr %2, mcycleh" : "=r"(high), "=r"(low), "=r"(again));
    while (high != again);
    return counter_pair(high, low);
}

static inline uint64_t instructions_long(void) {
    uint32_t high, low, again;

    do
        __asm__ volatile("csrr %0, minstreth\n csrr %1, minstret\n csrr %2, minstreth"
                         : "=r"(high), "=r"(low), "=r"(again));
    while (high != again);
    return counter_pair(high, low);
}

#endif
