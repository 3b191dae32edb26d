/* Messages of the boot ROM on the UART. */
#ifndef HEAPWIRE_BOOT_CONSOLE_H
#define HEAPWIRE_BOOT_CONSOLE_H

#include <stdint.h>

void say(const char *text);
void say_hex(uint32_t value); /* eight digits */
void say_decimal(uint32_t value);

#endif
