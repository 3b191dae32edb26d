#include "skyway/registry/link.h"

#include "platform/cycles.h"
#include "platform/link_uart.h"

static void put(struct hw_skyway_line *line, const uint8_t *data, uint32_t bytes) {
    (void)line;
    hw_link_uart_put(data, bytes);
}

static int32_t get(struct hw_skyway_line *line, uint8_t *data, uint32_t capacity, uint32_t wait) {
    (void)line;
    uint32_t start = cycles_now(), got = hw_link_uart_take(data, capacity);

    while (got == 0 && cycles_now() - start < wait) got = hw_link_uart_take(data, capacity);
    return (int32_t)got;
}

static uint32_t now(struct hw_skyway_line *line) {
    (void)line;
    return cycles_now();
}

void uart_line_open(struct hw_skyway_line *line, uint32_t patience) {
    *line = (struct hw_skyway_line){.put = put, .get = get, .now = now, .patience = patience};
}
