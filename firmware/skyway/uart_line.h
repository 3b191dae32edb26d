/* Skyway's line over the second UART, to another machine (docs/reference/skyway.md, "Link"). */
#ifndef HW_SKYWAY_UART_LINE_H
#define HW_SKYWAY_UART_LINE_H

#include "skyway/registry/link.h"

/* Its ticks are cycles. There is only one such line, because there is one such UART. */
void uart_line_open(struct hw_skyway_line *line, uint32_t patience);

#endif
