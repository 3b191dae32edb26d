/* Included before everything else: a model provides the registers. */
#ifndef TEST_ACCESSORS_H
#define TEST_ACCESSORS_H

#define CSR_ACCESSORS_DEFINED
#define MMPTR(a) (*(volatile unsigned *)(a))

void csr_write_simple(unsigned long value, unsigned long address);
unsigned long csr_read_simple(unsigned long address);

#endif
