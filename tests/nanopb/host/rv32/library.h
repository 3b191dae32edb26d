/* Standard input and output, and memory at a given address. */
#ifndef RV32_LIBRARY_H
#define RV32_LIBRARY_H

#include <stddef.h>

/* Transfers all `bytes`, or ends the program. */
void library_read(void *to, size_t bytes);
void library_write(const void *from, size_t bytes);

/* Maps zeroed memory at `address`, or ends the program. */
void library_map(unsigned long address, size_t bytes);

#endif
