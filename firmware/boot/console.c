#include "boot.h"

#include "platform/uart.h"

#define DECIMAL_DIGITS 10

void say(const char *text) {
    for (; *text; text++) hw_uart_put((uint8_t)*text);
}

void say_hex(uint32_t value) {
    for (int shift = 28; shift >= 0; shift -= 4) hw_uart_put((uint8_t)"0123456789abcdef"[(value >> shift) & 15]);
}

void say_decimal(uint32_t value) {
    char digits[DECIMAL_DIGITS + 1];
    char *first = digits + DECIMAL_DIGITS;

    *first = 0;
    do *--first = (char)('0' + value % 10);
    while (value /= 10);
    say(first);
}
