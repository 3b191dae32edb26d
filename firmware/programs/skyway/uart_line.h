/* Skyway's line over the second UART, to another machine (docs/reference/skyway.md, "Link"). */
#ifndef HW_PROGRAMS_SKYWAY_UART_LINE_H
#define HW_PROGRAMS_SKYWAY_UART_LINE_H

#include "skyway/registry/link.h"

struct uart_line {
    struct hw_skyway_line line;
    uint32_t patience; /* in cycles: how long a response may take; below 2^31 */
};

/* There is only one line, because there is one such UART. */
void uart_line_open(struct uart_line *line, uint32_t patience);

#endif
