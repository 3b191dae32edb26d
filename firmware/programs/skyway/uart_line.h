/* Skyway's line over the second UART: to another machine (docs/skyway.md, "Link"). */
#ifndef HW_PROGRAMS_SKYWAY_UART_LINE_H
#define HW_PROGRAMS_SKYWAY_UART_LINE_H

#include "skyway/registry/link.h"

struct uart_line {
    struct hw_skyway_line line;
    uint32_t patience; /* cycles that a response may take, below 2^31 */
};

/* The UART has one line. */
void uart_line_open(struct uart_line *line, uint32_t patience);

#endif
