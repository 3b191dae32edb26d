/* The receiving side of LiteX's serial boot protocol (SFL): frames that load bytes into main memory, or start a program
 * there. The sending side is litex_term.
 *
 *   length u8 | CRC-16 of command and payload, high byte first | command u8 | payload, `length` bytes
 *
 * LOAD: address, high byte first, then data. JUMP: address. ABORT: nothing. The answer is one byte. Whatever a frame
 * says, nothing outside main memory is written or jumped to, and an incomplete frame has no effect. */
#ifndef HEAPWIRE_BOOT_SERIAL_H
#define HEAPWIRE_BOOT_SERIAL_H

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

/* CRC-16 of SFL frames: polynomial 0x1021, initial value 0, high bit first (XMODEM). Continues the CRC by one byte,
 * without a table: small, and fast enough to run while the next byte arrives. */
static inline uint16_t crc16_next(uint16_t crc, uint8_t byte) {
    uint32_t mixed = (crc >> 8) ^ byte;

    mixed ^= mixed >> 4;
    return (uint16_t)((uint32_t)crc << 8 ^ mixed << 12 ^ mixed << 5 ^ mixed);
}

/* Serial boot: asks the host for a program once a second, until one has been uploaded. Returns the address at which the
 * program starts. */
uint32_t serial_boot(const struct main_memory *memory);

#endif
