/* The host build's main memory. It lies below 4 GB, so that references are addresses. */
#ifndef HW_HOST_MEMORY_H
#define HW_HOST_MEMORY_H

#include <stddef.h>
#include <stdint.h>

/* Maps main memory at MAIN_RAM_BASE, all zero. Ends the program if it cannot. */
void memory_map(void);

/* Reads the whole file to `address` and returns its bytes. Ends the program if it cannot. */
uint32_t memory_load(const char *path, uint32_t address, uint32_t capacity);

/* Surrounds an arena of `bytes` bytes at `base` with guard words. Under ASan, makes everything else within GUARD_BYTES
 * inaccessible. */
#define GUARD_BYTES 256
void guard_set(uint32_t base, uint32_t bytes);

/* Ends the program if a guard word has changed. */
void guard_check(uint32_t base, uint32_t bytes);

#endif
