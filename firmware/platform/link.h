/* The second UART, to another machine, byte by byte, polled. A SoC without one sends nowhere and hears nothing. */
#ifndef HW_PLATFORM_LINK_H
#define HW_PLATFORM_LINK_H

#include <stdbool.h>
#include <stdint.h>

bool link_present(void);

/* Waits for room, then sends. */
void link_put(uint8_t byte);

/* Takes a byte that has arrived; false if there is none. The UART keeps some 2,000 that were not taken, and loses what comes then. */
bool link_take(uint8_t *byte);

/* Waits until everything has left the UART's buffer. */
void link_flush(void);

#endif
