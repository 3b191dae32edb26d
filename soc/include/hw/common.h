/* Access to LiteX's 32-bit CSRs, under the names that the generated csr.h uses.
 * Registers wider than 32 bits take consecutive words, the high one first. */
#ifndef HEAPWIRE_HW_COMMON_H
#define HEAPWIRE_HW_COMMON_H

#include <stdint.h>

static inline void csr_write_simple(unsigned long value, unsigned long address) {
    *(volatile uint32_t *)address = value;
}

static inline unsigned long csr_read_simple(unsigned long address) { return *(volatile uint32_t *)address; }

#endif
