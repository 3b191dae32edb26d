/* The second UART, to another machine: byte by byte, polled. On a SoC without it sent bytes vanish and none arrive. */
#ifndef HW_PLATFORM_LINK_UART_H
#define HW_PLATFORM_LINK_UART_H

#include <stdbool.h>
#include <stdint.h>

bool hw_link_uart_present(void);

/* Waits for room, then sends. */
void hw_link_uart_put(uint8_t byte);

/* Takes a byte that has arrived. Returns false if there is none. The UART keeps some 2,000 bytes until they are taken,
 * and loses further ones. */
bool hw_link_uart_take(uint8_t *byte);

/* Waits until the UART's buffer is empty. */
void hw_link_uart_flush(void);

#endif
