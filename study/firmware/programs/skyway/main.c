/* Runs shuffling programs on a SoC, with other machines on the second UART's line (make demo-skyway). The load region
 * has a struct skyway_parameters, then the jobs (struct skyway_job). */
#include <stdio.h>

#include "platform/cycles.h"
#include "platform/link_uart.h"
#include "programs/skyway/medium.h"
#include "programs/skyway/worker.h"
#include "runtime/object.h"
#include "runtime/regions.h"
#include "units/capability.h"

int main(void) {
    const struct skyway_parameters *given = hw_pointer(HW_LOAD_BASE);
    struct hw_skyway_line line;

    hw_capability_discover();
    if (!hw_link_uart_present()) {
        printf("# this SoC has no second UART\n");
        return 1;
    }
    if (given->heap_bytes > HW_FIXED_BYTES || given->heap_offset > HW_FIXED_BYTES - given->heap_bytes ||
        given->memory_bytes > HW_FLEXIBLE_BYTES) {
        printf("# this SoC's memory has no room for problems of this size\n");
        return 1;
    }
    if (given->workers < 2 || given->workers > MEDIUM_MACHINES || given->worker >= given->workers) {
        printf("# there are 2 to %u machines, and this is one of them\n", MEDIUM_MACHINES);
        return 1;
    }
    uart_line_open(&line, given->patience);
    const struct skyway_worker worker = {
        .given = given,
        .jobs = (const struct skyway_job *)(given + 1),
        .line = &line,
        .clock = cycles_long,
        .heap = HW_FIXED_BASE + given->heap_offset,
        .memory = hw_pointer(HW_FLEXIBLE_BASE),
    };
    bool good = skyway_worker_run(&worker);

    skyway_worker_linger();
    hw_link_uart_flush();
    return good ? 0 : 1;
}
