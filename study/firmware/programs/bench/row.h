/* Results: JSON lines on the console (study/docs/suites.md describes the rows), and the timing of what they tell. */
#ifndef HW_PROGRAMS_BENCH_ROW_H
#define HW_PROGRAMS_BENCH_ROW_H

#include <stdbool.h>

#include "platform/cycles.h"
#include "programs/measure/counts.h"

/* Statuses of a row beyond HW_STATUS_*; ENGINE_NANOPB_ERROR is 255. A row with such a status is not ok. */
#define ROW_NO_CODE 254  /* the engine has no code, or no table, for the type: nothing was run */
#define ROW_NO_INPUT 252 /* nothing to serialize: software rejects the message */
#define ROW_NO_ROOM 253  /* nothing to compare: nanopb's encoding does not fit, or failed */

extern char layout[]; /* from link.ld: its address is the number of the link layout */

/* Returns the number of the link layout; 0 in an image with one layout. */
uint32_t row_layout(void);

struct row {
    const char *suite, *name, *operation, *engine, *model;
    uint32_t cycles, cold_cycles, instructions; /* cold_cycles 0: not measured */
    uint32_t began;                             /* the cycle in which the timed code began; printed unless 0 */
    uint32_t wire_bytes, object_bytes;
    struct counts counts; /* those of cycles are printed if the unit was busy, those of DRAM unless both are 0 */
    uint32_t fallbacks;
    uint32_t collections;                  /* while the timed code ran; printed unless 0 */
    uint32_t full_collections, collecting; /* those of the old generation; cycles of a message's; printed unless 0 */
    uint32_t digest;                       /* of the bytes written; printed unless 0 */
    uint32_t status;                       /* HW_STATUS_* or one of the above; 0 if the engine has none */
    bool ok;                               /* the result was compared and is right */
};

/* Prints a row. After a row that is not ok, bench_exit_code returns 1. */
void row_print(const struct row *row);

/* Returns 0, or 1 after a row that was not ok. */
int bench_exit_code(void);

/* Timing of code under measurement. */
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
