/* Returns the low word of the core's cycle counter; 0 on the host. */
#ifndef HW_RUNTIME_HEAP_CLOCK_H
#define HW_RUNTIME_HEAP_CLOCK_H

#include <stdint.h>

static inline uint32_t hw_clock(void) {
    uint32_t cycles = 0;

#ifdef __riscv
    __asm__ volatile("csrr %0, mcycle" : "=r"(cycles)::"memory");
#endif
    return cycles;
}

#endif
