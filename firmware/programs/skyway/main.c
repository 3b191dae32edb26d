/* Runs shuffling programs on a SoC, with another machine on the second UART's line (make demo-skyway). The load region
 * has: the number of this worker, the offset of its heap within the heap region in bytes, the patience in cycles, the
 * number of jobs, and the jobs (struct skyway_job). */
#include <stdio.h>

#include "platform/cycles.h"
#include "platform/link_uart.h"
#include "programs/skyway/uart_line.h"
#include "programs/skyway/worker.h"
#include "runtime/object.h"
#include "runtime/regions.h"
#include "units/capability.h"

int main(void) {
    const uint32_t *words = hw_pointer(HW_LOAD_BASE);
    struct uart_line line;

    hw_capability_discover();
    if (!hw_link_uart_present()) {
        printf("# this SoC has no second UART\n");
        return 1;
    }
    uart_line_open(&line, words[2]);
    const struct skyway_worker worker = {
        .worker = words[0],
        .line = &line.line,
        .clock = cycles_long,
        .heap = HW_FIXED_BASE + words[1],
        .heap_bytes = SKYWAY_WORKER_HEAP,
        .memory = hw_pointer(HW_FLEXIBLE_BASE),
        .memory_bytes = SKYWAY_WORKER_MEMORY,
        .count = words[3],
        .jobs = (const struct skyway_job *)(words + 4),
    };
    bool good = skyway_worker_run(&worker);

    line.patience = SKYWAY_WORKER_LINGER;
    skyway_worker_linger();
    hw_link_uart_flush();
    return good ? 0 : 1;
}
