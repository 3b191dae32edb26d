/* The receiving side of LiteX's serial boot protocol (SFL): frames that load bytes into main memory, or start a program
 * there. The sending side is litex_term.
 *
 *   length u8 | CRC-16 of command and payload, high byte first | command u8 | payload, `length` bytes
 *
 * LOAD: address, high byte first, then data. JUMP: address. ABORT: nothing. The answer is one byte. Whatever a frame
 * says, nothing outside main memory is written or jumped to, and an incomplete frame has no effect. */
#ifndef HEAPWIRE_BOOT_SFL_H
#define HEAPWIRE_BOOT_SFL_H

#include <stdint.h>

/* Main memory of `bytes` bytes from address `base` on. `memory` points to it. */
struct main_memory {
    uint32_t base, bytes;
    uint8_t *memory;
};

enum sfl_end {
    SFL_JUMP,    /* answered; the caller starts the program at `entry` */
    SFL_ABORTED, /* by the host */
    SFL_SILENT,  /* nothing arrived for seconds */
    SFL_FAILED   /* too many bad frames in a row */
};

/* Receives frames until one ends the session. */
enum sfl_end sfl_receive(const struct main_memory *memory, uint32_t *entry);

#endif
