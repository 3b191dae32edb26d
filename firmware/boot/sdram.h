/* Initializes the SDRAM and hands it to the controller: by sdram.c if the PHY needs no training, else by LiteX's
 * liblitedram (litedram/train.c). May be called again while nothing uses the memory. */
#ifndef HEAPWIRE_BOOT_SDRAM_H
#define HEAPWIRE_BOOT_SDRAM_H

void sdram_start(void);

#endif
