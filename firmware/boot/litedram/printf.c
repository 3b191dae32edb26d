#include "stdio.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>

#include "platform/uart.h"

#define DIGITS_MAX 10

static void put_number(uint32_t value, uint32_t base, unsigned width, char pad, bool minus) {
    char digits[DIGITS_MAX];
    unsigned count = 0;

    do digits[count++] = "0123456789abcdef"[value % base];
    while (value /= base);
    if (minus) hw_uart_put('-');
    for (; width > count + minus; width--) hw_uart_put((uint8_t)pad);
    while (count) hw_uart_put((uint8_t)digits[--count]);
}

int printf(const char *format, ...) {
    va_list values;

    va_start(values, format);
    for (; *format; format++) {
        unsigned width = 0;
        char pad = ' ';

        if (*format != '%') {
            hw_uart_put((uint8_t)*format);
            continue;
        }
        if (*++format == '0') pad = *format++;
        for (; *format >= '0' && *format <= '9'; format++) width = width * 10 + (unsigned)(*format - '0');
        if (*format == 'l') format++;

        uint32_t value = va_arg(values, uint32_t);

        if (*format == 'd' && (int32_t)value < 0)
            put_number(-value, 10, width, pad, true);
        else
            put_number(value, *format == 'x' ? 16 : 10, width, pad, false);
    }
    va_end(values);
    return 0;
}
