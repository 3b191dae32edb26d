/* Brings the SDRAM up and gives it to the controller: by sdram.c where the PHY needs no training, else
 * by LiteX's liblitedram (litedram/train.c). May be called again when nothing uses the memory. */
#ifndef HEAPWIRE_BOOT_SDRAM_H
#define HEAPWIRE_BOOT_SDRAM_H

void sdram_start(void);

#endif
