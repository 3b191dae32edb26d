/* Standard output and the error output, both on the UART. */
#include <stdio.h>

#include "platform/uart.h"

static int put(char character, FILE *file) {
    (void)file;
    hw_uart_put((uint8_t)character);
    return 0;
}

static FILE console = FDEV_SETUP_STREAM(put, NULL, NULL, _FDEV_SETUP_WRITE);
FILE *const stdout = &console;
FILE *const stderr = &console;
