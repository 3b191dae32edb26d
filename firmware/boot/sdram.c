#include "sdram.h"

#include "boot.h"

#include <generated/csr.h>
#include <generated/sdram_phy.h>

#if defined(SDRAM_PHY_WRITE_LEVELING_CAPABLE) || defined(SDRAM_PHY_READ_LEVELING_CAPABLE)
#error "this PHY must be trained: litedram/train.c"
#endif

/* The delays between the steps of the initialization. LiteX counts them in passes of this loop, and its
 * numbers are right for passes of a cycle at 100 MHz: 20,000 for the 200 us before an SDR chip's first
 * command, 50,000 for the 500 us of a DDR3 chip. A pass here is at least three instructions, so at
 * least three cycles: long enough up to 300 MHz. A model needs none. */
void cdelay(int passes)
{
#ifdef BOOT_AT_ONCE
    (void)passes;
#else
    for (; passes > 0; passes--)
        __asm__ volatile("nop");
#endif
}

void sdram_start(void)
{
    sdram_dfii_control_write(DFII_CONTROL_CKE | DFII_CONTROL_ODT | DFII_CONTROL_RESET_N);
    init_sequence();
    sdram_dfii_control_write(DFII_CONTROL_SEL);
}
