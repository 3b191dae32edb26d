/* The UART, byte by byte, polled. */
#ifndef HW_PLATFORM_UART_H
#define HW_PLATFORM_UART_H

#include <stdint.h>

/* Waits for room, then sends. */
void uart_put(uint8_t byte);

/* Waits for a byte. */
uint8_t uart_get(void);

/* Waits until everything is sent. */
void uart_flush(void);

#endif
