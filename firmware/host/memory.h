/* The host build's main memory: below 4 GB, so that references are addresses. */
#ifndef HW_HOST_MEMORY_H
#define HW_HOST_MEMORY_H

#include <stddef.h>
#include <stdint.h>

/* Maps main memory at MAIN_RAM_BASE, all zero; ends the program if it cannot. */
void memory_map(void);

/* Reads the whole file to `address`; its bytes. Ends the program if it cannot. */
uint32_t memory_load(const char *path, uint32_t address, uint32_t capacity);

/* An arena of `bytes` bytes at `base` with guard words around it and, under ASan,
 * nothing else accessible within GUARD_BYTES. */
#define GUARD_BYTES 256
void guard_set(uint32_t base, uint32_t bytes);

/* Ends the program if a guard word has changed. */
void guard_check(uint32_t base, uint32_t bytes);

#endif
