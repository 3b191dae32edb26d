/* In place of heap/collect.c and what that needs, for programs that are linked without the collector. They fill the
 * heap once; hw_heap_init empties it. */
#include "runtime/heap/collect.h"

const hw_status hw_heap_full = HW_STATUS_NO_COLLECTOR;

hw_ref hw_collect_and_take(bool full, hw_ref (*take)(uint32_t bytes), uint32_t bytes) {
    (void)full, (void)take, (void)bytes;
    hw_error_raise(HW_STATUS_NO_COLLECTOR);
    return 0;
}

hw_ref hw_collect_for_run(uint32_t bytes) { return hw_collect_and_take(true, NULL, bytes); }

void hw_collect(bool full) { hw_collect_and_take(full, NULL, 0); }
