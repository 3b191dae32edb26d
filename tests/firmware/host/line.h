/* The UART of the host build: standard input and output. On a pipe it has no rate. On a pseudo-terminal, whose other
 * end a serial client opens, it has one: bytes that are sent or received while the client's port has another rate are
 * changed, and above the highest rate of the cable some bytes are damaged. */
#ifndef TEST_LINE_H
#define TEST_LINE_H

#include <stdbool.h>
#include <stdint.h>

/* rate: the initial rate, 0 for a pipe; cable: the highest rate without damage. */
void line_open(uint32_t rate, uint32_t cable);

/* Takes a byte. Returns 1 with a byte, 0 if none has come for a moment, -1 at the end of the input. The clock advances
 * while it waits. */
int line_take(uint8_t *byte);

void line_put(uint8_t byte);

#endif
