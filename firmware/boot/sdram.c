#include "sdram.h"

#include "boot.h"

#include <generated/csr.h>
#include <generated/sdram_phy.h>

#if defined(SDRAM_PHY_WRITE_LEVELING_CAPABLE) || defined(SDRAM_PHY_READ_LEVELING_CAPABLE)
#error "this PHY must be trained: litedram/train.c"
#endif

/* Delays between the steps of the initialization. LiteX counts them in passes of this loop, with numbers for passes of
 * one cycle at 100 MHz: 20,000 for the 200 us before the first command of an SDR chip, 50,000 for the 500 us of a DDR3
 * chip. A pass here has at least three instructions and so takes at least three cycles, which is long enough up to 300
 * MHz. A model needs no delays. */
void cdelay(int passes) {
#ifdef BOOT_AT_ONCE
    (void)passes;
#else
    for (; passes > 0; passes--) __asm__ volatile("nop");
#endif
}

void sdram_start(void) {
    sdram_dfii_control_write(DFII_CONTROL_CKE | DFII_CONTROL_ODT | DFII_CONTROL_RESET_N);
    init_sequence();
    sdram_dfii_control_write(DFII_CONTROL_SEL);
}
