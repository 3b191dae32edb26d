/* The second UART, to another machine, byte by byte, polled. A SoC without one sends nowhere and hears nothing. */
#ifndef HW_PLATFORM_LINK_UART_H
#define HW_PLATFORM_LINK_UART_H

#include <stdbool.h>
#include <stdint.h>

bool link_uart_present(void);

/* Waits for room, then sends. */
void link_uart_put(uint8_t byte);

/* Takes a byte that has arrived; false if there is none. The UART keeps some 2,000 that were not taken, and loses what comes then. */
bool link_uart_take(uint8_t *byte);

/* Waits until everything has left the UART's buffer. */
void link_uart_flush(void);

#endif
