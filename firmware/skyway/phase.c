#include "skyway/phase.h"

#include <string.h>

#include "runtime/compiler.h"
#include "runtime/thread.h"

struct skyway_phase skyway_phase;

void hw_skyway_shuffle_end(void) {
    if (skyway_phase_epoch()) hw_epoch_close(skyway_phase.epoch);
    skyway_phase.epoch = 0;
    memset(skyway_phase.open, 0, sizeof skyway_phase.open);
    skyway_phase.count = 0;
}

hw_status hw_skyway_shuffle_start(void) {
    hw_skyway_shuffle_end();
    uint32_t epoch = hw_epoch_open();

    if (epoch == 0) return HW_STATUS_OUT_OF_EPOCHS;
    hw_critical_enter();
    hw_skyway_shuffle_end(); /* another thread may have begun a phase since */
    skyway_phase.number++;
    skyway_phase.streams = 0;
    skyway_phase.epoch = epoch;
    skyway_phase.resets = hw_epoch_resets;
    hw_critical_leave();
    return HW_STATUS_OK;
}

OFTEN uint32_t skyway_stream_open(hw_status *status) {
    uint32_t stream = 0;

    *status = skyway_phase_epoch() ? HW_SKYWAY_OUT_OF_STREAMS : HW_SKYWAY_NO_PHASE;
    hw_critical_enter();
    for (int i = 0; skyway_phase_epoch() && skyway_phase.streams < UINT16_MAX && i < HW_SKYWAY_STREAMS && stream == 0;
         i++)
        if (skyway_phase.open[i] == 0) skyway_phase.open[i] = (uint16_t)(stream = ++skyway_phase.streams);
    skyway_phase.count += stream != 0;
    hw_critical_leave();
    if (stream) *status = HW_STATUS_OK;
    return stream;
}

/* Retires the owner words of streams below the lowest open number. Numbers only grow, so those words count for no one
 * any more, units included. The exception is the last possible number, 65,535, whose words are not retired. */
static void retire_marks(void) {
    uint32_t lowest = skyway_phase.streams < UINT16_MAX ? skyway_phase.streams + 1 : UINT16_MAX;

    for (int i = 0; skyway_phase.count && i < HW_SKYWAY_STREAMS; i++)
        if (skyway_phase.open[i] && skyway_phase.open[i] < lowest) lowest = skyway_phase.open[i];
    hw_epoch_retire(skyway_phase_epoch(), lowest);
}

OFTEN void skyway_stream_close(uint32_t phase, uint32_t stream) {
    hw_critical_enter();
    for (int i = 0; phase == skyway_phase.number && i < HW_SKYWAY_STREAMS; i++)
        if (skyway_phase.open[i] == stream) {
            skyway_phase.open[i] = 0;
            skyway_phase.count--;
            retire_marks();
            break;
        }
    hw_critical_leave();
}
