/* The echo (tests/cereal/line) over the SoC's UART. Failures are printed on the UART, too; for the host they are noise
 * between frames. */
#include <inttypes.h>

#include "../../cereal/line/echo.h"
#include "../../common/expect.h"
#include "platform/cycles.h"
#include "platform/uart.h"
#include "runtime/heap/heap.h"
#include "runtime/regions.h"
#include "runtime/registers.h"
#include "units/capability.h"

/* In cycles: some seconds of real time of the simulation. */
#define PATIENCE 2000000u
#define SILENCES 20

static void failed(int status, uint32_t offset) { printf("%d %" PRIu32 "\n", status, offset); }

int main(void) {
    static struct object_line line;
    const struct hw_heap_options options = {
        .base = HW_FIXED_BASE,
        .bytes = 256u << 10,
        .large_bytes = 64u << 10,
        .poison = true,
        .verify = hw_heap_verify,
    };

    hw_capability_discover();
    hw_well_known_init();
    EXPECT(hw_heap_init(&options));
    object_line_open(&line, hw_uart_put, hw_uart_take, cycles_now, PATIENCE);
    echo(&line, SILENCES, failed);
    hw_uart_flush();
    return 0;
}
