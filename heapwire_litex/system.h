/* The core as LiteX's software sees it. Hardware keeps data caches, units and LiteX's DMA masters coherent. Only code
 * that was written as data needs an instruction (fence.i) before it runs. */
#ifndef HEAPWIRE_SYSTEM_H
#define HEAPWIRE_SYSTEM_H

#include <csr-defs.h>
#include <generated/soc.h>

#ifdef __cplusplus
extern "C" {
#endif

static inline void flush_cpu_icache(void) { __asm__ volatile("fence.i" ::: "memory"); }
static inline void flush_cpu_dcache(void) {}

/* LiteX's libbase. */
void flush_l2_cache(void);
void busy_wait(unsigned int ms);
void busy_wait_us(unsigned int us);

#define csrr(name)                                             \
    ({                                                         \
        unsigned long csr_value;                               \
        __asm__ volatile("csrr %0, " #name : "=r"(csr_value)); \
        csr_value;                                             \
    })
#define csrw(name, value) __asm__ volatile("csrw " #name ", %0" ::"rK"(value))
#define csrs(name, bits) __asm__ volatile("csrs " #name ", %0" ::"rK"(bits))
#define csrc(name, bits) __asm__ volatile("csrc " #name ", %0" ::"rK"(bits))

#ifdef __cplusplus
}
#endif

#endif
