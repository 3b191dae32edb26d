/* Timing of code under measurement. */
#ifndef HW_PROGRAMS_BENCH_TIMING_H
#define HW_PROGRAMS_BENCH_TIMING_H

#include "platform/cycles.h"

struct timing {
    uint32_t cycles, instructions; /* of the quickest warm iteration */
    uint32_t cold_cycles;          /* of the first */
};

/* Runs `statement` once cold, then `warm` times. */
#define TIME(timing, warm, statement)                                               \
    do {                                                                            \
        (timing)->cycles = UINT32_MAX;                                              \
        for (uint32_t iteration_ = 0; iteration_ <= (warm); iteration_++) {         \
            uint32_t instructions_ = instructions_now(), cycles_ = cycles_now();    \
            statement;                                                              \
            cycles_ = cycles_now() - cycles_;                                       \
            instructions_ = instructions_now() - instructions_;                     \
            if (iteration_ == 0)                                                    \
                (timing)->cold_cycles = cycles_;                                    \
            else if (cycles_ < (timing)->cycles)                                    \
                (timing)->cycles = cycles_, (timing)->instructions = instructions_; \
        }                                                                           \
    } while (0)

/* Fills the core's caches and the shared cache with other data. */
void evict_caches(void);

#endif
