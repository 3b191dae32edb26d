/* Serial boot: asks the host for a program once a second, until one has been uploaded. */
#ifndef HEAPWIRE_BOOT_SERIAL_H
#define HEAPWIRE_BOOT_SERIAL_H

#include "sfl.h"

/* Returns the address at which the program starts. */
uint32_t serial_boot(const struct main_memory *memory);

#endif
