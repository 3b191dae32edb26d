/* The UART of the host build: standard input and output. On a pipe it has no rate. On a pseudo-terminal, whose other
 * end a serial client opens, it has: what is sent or received while the client's port is set to another rate comes
 * out as other bytes, and beyond what the cable carries some are damaged. */
#ifndef TEST_LINE_H
#define TEST_LINE_H

#include <stdbool.h>
#include <stdint.h>

/* rate: where it starts, 0 for a pipe; cable: the highest rate without damage. */
void line_open(uint32_t rate, uint32_t cable);

/* Takes a byte; 0: none has come for a moment, -1: there will be none. Lets the time pass that it waits. */
int line_take(uint8_t *byte);

void line_put(uint8_t byte);

#endif
