#include "programs/skyway/uart_line.h"

#include "platform/cycles.h"
#include "platform/link_uart.h"

static void put(struct hw_skyway_line *line, const uint8_t *data, uint32_t bytes) {
    (void)line;
    hw_link_uart_put(data, bytes);
}

static int32_t get(struct hw_skyway_line *line, uint8_t *data, uint32_t capacity, bool wait) {
    const struct uart_line *own = (const struct uart_line *)line;
    uint32_t start = cycles_now(), got = hw_link_uart_take(data, capacity);

    while (wait && got == 0 && cycles_now() - start < own->patience) got = hw_link_uart_take(data, capacity);
    return (int32_t)got;
}

void uart_line_open(struct uart_line *line, uint32_t patience) {
    *line = (struct uart_line){.line = {.put = put, .get = get}, .patience = patience};
}
