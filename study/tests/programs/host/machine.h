/* What the programs of this folder share: a machine that is its own driver, with a heap, all classes and the memory of
 * the serializers. */
#ifndef TEST_PROGRAMS_MACHINE_H
#define TEST_PROGRAMS_MACHINE_H

#include <stdbool.h>
#include <stdint.h>

/* Begins the machine. `stress`: every allocation collects. Returns false if something has no room. */
bool machine_begin(bool stress);

/* Returns memory behind the heap, where a unit's address is a pointer. Ends the program if there is none left. */
void *machine_memory(uint32_t bytes);

#endif
