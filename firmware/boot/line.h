/* The UART with a clock. Times are at most 10 seconds, because the clock is the low word of the core's cycle
 * counter. */
#ifndef HEAPWIRE_BOOT_LINE_H
#define HEAPWIRE_BOOT_LINE_H

#include <stdbool.h>
#include <stdint.h>

/* Returns the current time, for line_passed. */
uint32_t line_now(void);

/* Returns whether this much time has passed since `start`. */
bool line_passed(uint32_t start, uint32_t milliseconds);

/* Waits for a byte. Returns false if none came. */
bool line_take(uint8_t *byte, uint32_t milliseconds);

/* Drops bytes until none has come for `silence`. Gives up after a second on a line that is never silent. */
void line_drain(uint32_t silence);

#endif
