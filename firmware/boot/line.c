#include "line.h"

#include <generated/soc.h>

#include "platform/cycles.h"
#include "platform/uart.h"

#define CYCLES_PER_MILLISECOND (CONFIG_CLOCK_FREQUENCY / 1000)
#define DRAIN_MS 1000

uint32_t line_now(void) { return cycles_now(); }

bool line_passed(uint32_t start, uint32_t milliseconds) {
    return cycles_now() - start >= milliseconds * CYCLES_PER_MILLISECOND;
}

bool line_take(uint8_t *byte, uint32_t milliseconds) {
    uint32_t start = line_now();

    while (!hw_uart_take(byte))
        if (line_passed(start, milliseconds)) return false;
    return true;
}

void line_drain(uint32_t silence) {
    uint32_t start = line_now();
    uint8_t dropped;

    while (!line_passed(start, DRAIN_MS) && line_take(&dropped, silence));
}
