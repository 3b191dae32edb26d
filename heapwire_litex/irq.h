/* Interrupts for LiteX's software: one line for each peripheral, and that of the units at HW_INFO_INTERRUPT_LINE
 * (heapwire.h). */
#ifndef HEAPWIRE_IRQ_H
#define HEAPWIRE_IRQ_H

#include <system.h>

#ifdef __cplusplus
extern "C" {
#endif

static inline unsigned int irq_getie(void) { return (csrr(mstatus) & CSR_MSTATUS_MIE) != 0; }

static inline void irq_setie(unsigned int enable) {
    if (enable)
        csrs(mstatus, CSR_MSTATUS_MIE);
    else
        csrc(mstatus, CSR_MSTATUS_MIE);
}

static inline unsigned int irq_getmask(void) {
    unsigned int mask;
    __asm__ volatile("csrr %0, %1" : "=r"(mask) : "i"(CSR_IRQ_MASK));
    return mask;
}

static inline void irq_setmask(unsigned int mask) { __asm__ volatile("csrw %0, %1" ::"i"(CSR_IRQ_MASK), "r"(mask)); }

static inline unsigned int irq_pending(void) {
    unsigned int pending;
    __asm__ volatile("csrr %0, %1" : "=r"(pending) : "i"(CSR_IRQ_PENDING));
    return pending;
}

#ifdef __cplusplus
}
#endif

#endif
