/* The group `accessors` of suite `core`. */
#ifndef HW_PROGRAMS_BENCH_ACCESSORS_H
#define HW_PROGRAMS_BENCH_ACCESSORS_H

#include "programs/bench/row.h"

#define ACCESSORS_KEYS 8
#define ACCESSORS_WARM 5

/* Strings of five bytes that differ at their end. */
extern char accessors_keys[ACCESSORS_KEYS][8];

/* Runs `call` `count` times, once cold and then ACCESSORS_WARM times, each time after `before`. The timing is that of
 * one call, with its part of the loop. i_ is the number of the call. */
#define ACCESSORS_TIME(result, count, before, call)                                    \
    do {                                                                               \
        *(result) = (struct timing){.cycles = UINT32_MAX};                             \
        for (uint32_t round_ = 0; round_ <= ACCESSORS_WARM; round_++) {                \
            before;                                                                    \
            uint32_t instructions_ = instructions_now(), cycles_ = cycles_now();       \
            for (uint32_t i_ = 0; i_ < (count); i_++) {                                \
                call;                                                                  \
                __asm__ volatile("" ::: "memory"); /* the next call is not this one */ \
            }                                                                          \
            cycles_ = (cycles_now() - cycles_) / (count);                              \
            instructions_ = (instructions_now() - instructions_) / (count);            \
            if (round_ == 0)                                                           \
                (result)->cold_cycles = cycles_;                                       \
            else if (cycles_ < (result)->cycles)                                       \
                (result)->cycles = cycles_, (result)->instructions = instructions_;    \
        }                                                                              \
    } while (0)

/* The compiler has to make `value`, though nothing needs it. */
static inline void accessors_used(uintptr_t value) { __asm__ volatile("" ::"r"(value)); }

/* digest: the CRC-32 of the message behind the calls, on the wire, with which the host compares its own. */
void accessors_report(const char *name, const char *engine, struct timing timing, uint32_t digest, bool ok);

/* Measures upb's accessors over the same messages. */
void accessors_upb(void);

#endif
