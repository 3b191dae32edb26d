/* Shuffling phases (docs/reference/skyway.md, "Phases"): an epoch of the serialization metadata, and the streams that
 * write in it.
 *
 * An object's owner word has the epoch in its upper half and the number of the stream in its lower half: Skyway's phase
 * id and thread id. It counts while both epoch and stream are open, so nothing ever has to be cleared.
 */
#ifndef HW_SKYWAY_PHASE_H
#define HW_SKYWAY_PHASE_H

#include <stdbool.h>

#include "records/status.h"
#include "runtime/heap/epoch.h"
#include "units/status.h"

/* Most streams that are open at a time. */
#define HW_SKYWAY_STREAMS 32

struct skyway_phase {
    uint32_t number;  /* counted from 1 since the program began */
    uint32_t epoch;   /* 0: no phase is open. After hw_heap_init none is either; skyway_phase_epoch tells */
    uint32_t resets;  /* hw_epoch_resets when the phase began */
    uint32_t streams; /* streams opened in it so far */
    uint16_t open[HW_SKYWAY_STREAMS]; /* numbers of the open streams; 0: a free entry */
    uint32_t count;                   /* number of open streams */
};

extern struct skyway_phase skyway_phase;

/* Begins a shuffling phase, and ends the previous one: objects that were sent in that phase are sent again if they are
 * reached again. Open streams continue with a new buffer. A safepoint; a full collection after every 65,535 epochs.
 * Returns HW_STATUS_OK or HW_STATUS_OUT_OF_EPOCHS; after the latter no phase is open. */
hw_status hw_skyway_shuffle_start(void);

/* Ends the phase. Other serializations may use its epoch. */
void hw_skyway_shuffle_end(void);

/* Returns a number for a new stream of the phase; 0 with the reason if no phase or too many streams are open. */
uint32_t skyway_stream_open(hw_status *status);
void skyway_stream_close(uint32_t phase, uint32_t stream);

/* Returns the epoch of the open phase; 0 if none is open. A new heap (hw_heap_init) ends the phase without notice. */
static inline uint32_t skyway_phase_epoch(void) {
    return skyway_phase.resets == hw_epoch_resets ? skyway_phase.epoch : 0;
}

static inline bool skyway_stream_is_open(uint32_t stream) {
    for (int i = 0; i < HW_SKYWAY_STREAMS; i++)
        if (skyway_phase.open[i] == stream) return true;
    return false;
}

#endif
