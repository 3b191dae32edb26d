/* The second UART, to another machine: byte by byte, polled. On a SoC without it sent bytes vanish and none arrive. */
#ifndef HW_PLATFORM_LINK_UART_H
#define HW_PLATFORM_LINK_UART_H

#include <stdbool.h>
#include <stdint.h>

bool hw_link_uart_present(void);

/* Sends the bytes, and waits for room when there is none. */
void hw_link_uart_put(const uint8_t *data, uint32_t bytes);

/* Takes up to `capacity` bytes that have arrived. Returns how many, 0 if there are none. The UART keeps
 * HW_LINK_UART_BYTES bytes until they are taken, and loses further ones. */
#define HW_LINK_UART_BYTES 2048u
uint32_t hw_link_uart_take(uint8_t *data, uint32_t capacity);

/* Waits until the UART's buffer is empty. */
void hw_link_uart_flush(void);

#endif
