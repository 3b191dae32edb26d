/* LiteX's serial boot protocol (SFL), the receiving side: frames that load bytes into main memory, or start
 * a program there. litex_term is the other end.
 *
 *   length u8 | CRC-16 of command and payload, high byte first | command u8 | payload, `length` bytes
 *
 * LOAD: address, high byte first, then data. JUMP: address. ABORT: nothing. The answer is a byte. Nothing
 * outside main memory is written or jumped to, whatever a frame says, and nothing of a frame that is not whole. */
#ifndef HEAPWIRE_BOOT_SFL_H
#define HEAPWIRE_BOOT_SFL_H

#include <stdint.h>

/* `bytes` from address `base` on, to be found at `memory`. */
struct main_memory {
    uint32_t base, bytes;
    uint8_t *memory;
};

enum sfl_end {
    SFL_JUMP,    /* answered; the caller starts what is at `entry` */
    SFL_ABORTED, /* as the host asked */
    SFL_SILENT,  /* nothing came for seconds */
    SFL_FAILED   /* too many bad frames, one after the other */
};

/* Takes frames until one ends the session. */
enum sfl_end sfl_receive(const struct main_memory *memory, uint32_t *entry);

#endif
