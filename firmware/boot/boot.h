/* The kind of machine that the ROM boots, and its messages. */
#ifndef HEAPWIRE_BOOT_BOOT_H
#define HEAPWIRE_BOOT_BOOT_H

#include <generated/soc.h>
#include <stdint.h>

/* A simulation has its program in memory before the first cycle, and a DRAM model that needs no initialization time, so
 * it boots at once. BOOT_AS_BOARD builds what a board runs, to test it in the simulation. */
#if defined(CONFIG_SIMULATION) && !defined(BOOT_AS_BOARD)
#define BOOT_AT_ONCE
#endif

/* Messages of the boot ROM on the UART. */
void say(const char *text);
void say_hex(uint32_t value); /* eight digits */
void say_decimal(uint32_t value);

#endif
