/* The UART: byte by byte, polled. */
#ifndef HW_PLATFORM_UART_H
#define HW_PLATFORM_UART_H

#include <stdbool.h>
#include <stdint.h>

/* Waits for room, then sends. */
void hw_uart_put(uint8_t byte);

/* Takes a byte that has arrived. Returns false if there is none. */
bool hw_uart_take(uint8_t *byte);

/* Waits until everything is sent. */
void hw_uart_flush(void);

/* Returns the rate in bits per second, start and stop bits included; 0 if this UART has no rate, or one that cannot be
 * changed. */
uint32_t hw_uart_rate(void);

/* Returns whether the UART can send and receive at this rate. */
bool hw_uart_rate_possible(uint32_t rate);

/* Sends what is left, then changes the rate, which must be a possible one. Received bytes that were not taken are
 * dropped. */
void hw_uart_set_rate(uint32_t rate);

#endif
