/* The host build measures nothing: its counters count how often they are read, plus the time that a program lets
 * pass. */
#ifndef HW_HOST_PLATFORM_CYCLES_H
#define HW_HOST_PLATFORM_CYCLES_H

#include <stdint.h>

/* Weak: in most programs no time passes. */
__attribute__((weak)) uint32_t cycles_passed;

static inline uint32_t cycles_now(void) {
    static uint32_t readings;

    return ++readings + cycles_passed;
}

static inline uint32_t instructions_now(void) { return cycles_now(); }

static inline uint64_t cycles_long(void) { return cycles_now(); }

static inline uint64_t instructions_long(void) { return cycles_now(); }

#endif
