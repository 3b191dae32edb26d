/* Standard input and output, and memory at an address of choice. */
#ifndef RV32_LIBRARY_H
#define RV32_LIBRARY_H

#include <stddef.h>

/* All `bytes`, or the program ends. */
void library_read(void *to, size_t bytes);
void library_write(const void *from, size_t bytes);

/* Zeroed memory at `address`, or the program ends. */
void library_map(unsigned long address, size_t bytes);

#endif
