/* Shuffling phases (docs/skyway.md, "Phases"): an epoch of the serialization metadata, and the streams that write in it.
 *
 * The owner word of an object is the epoch above and the number of the stream below: Skyway's phase id and thread id. It counts
 * while the epoch is open and the stream is, so nothing is ever cleared.
 */
#ifndef HW_SKYWAY_PHASE_H
#define HW_SKYWAY_PHASE_H

#include <stdbool.h>

#include "skyway/status.h"
#include "runtime/heap/epoch.h"

/* Streams that are open at a time. */
#define HW_SKYWAY_STREAMS 32

struct skyway_phase {
    uint32_t number; /* counted since the program began, from 1 */
    uint32_t epoch;  /* 0: none is open; nor is one after hw_heap_init: skyway_phase_epoch */
    uint32_t resets; /* hw_epoch_resets when it was opened */
    uint32_t streams; /* opened in it so far */
    uint16_t open[HW_SKYWAY_STREAMS]; /* numbers of those that are open; 0: none */
    uint32_t count; /* how many are open */
};

extern struct skyway_phase skyway_phase;

/* A shuffling phase begins, which ends the one before: what was sent in that is sent again if it is reached again. Streams that are
 * open go on with a new buffer. A safepoint; with every 65,535th epoch a full collection. HW_STATUS_OK or
 * HW_SKYWAY_OUT_OF_EPOCHS, and then no phase is open. */
int hw_skyway_shuffle_start(void);

/* The phase ends and its epoch is free for other serializations. */
void hw_skyway_shuffle_end(void);

/* A number for a new stream of the phase, 0 with the reason: none is open, or too many streams. */
uint32_t skyway_stream_open(int *status);
void skyway_stream_close(uint32_t phase, uint32_t stream);

/* The epoch of the phase that is open, 0: none is. A new heap ends the one before, without a word to it. */
static inline uint32_t skyway_phase_epoch(void)
{
    return skyway_phase.resets == hw_epoch_resets ? skyway_phase.epoch : 0;
}

static inline bool skyway_stream_is_open(uint32_t stream)
{
    for (int i = 0; i < HW_SKYWAY_STREAMS; i++)
        if (skyway_phase.open[i] == stream)
            return true;
    return false;
}

#endif
