/* The core's CSRs that LiteX's software uses. */
#ifndef HEAPWIRE_CSR_DEFS_H
#define HEAPWIRE_CSR_DEFS_H

#define CSR_MSTATUS_MIE 0x8
#define CSR_IRQ_MASK 0xBC0
#define CSR_IRQ_PENDING 0xFC0

#endif
