/* The UART with a clock beside it. Times are at most 10 seconds: the clock is the low word of the core's cycles. */
#ifndef HEAPWIRE_BOOT_LINE_H
#define HEAPWIRE_BOOT_LINE_H

#include <stdbool.h>
#include <stdint.h>

/* For line_passed. */
uint32_t line_now(void);

/* Whether so much time has passed since `start`. */
bool line_passed(uint32_t start, uint32_t milliseconds);

/* Waits for a byte; false: none came. */
bool line_take(uint8_t *byte, uint32_t milliseconds);

/* Drops what comes until nothing has come for `silence`; gives up after a second, on a line that is never silent. */
void line_drain(uint32_t silence);

#endif
