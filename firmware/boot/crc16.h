/* CRC-16 of SFL frames: polynomial 0x1021, initial value 0, high bit first (XMODEM). */
#ifndef HEAPWIRE_BOOT_CRC16_H
#define HEAPWIRE_BOOT_CRC16_H

#include <stdint.h>

/* Continues the CRC by one byte, without a table: small, and fast enough to run while the next byte arrives. */
static inline uint16_t crc16_next(uint16_t crc, uint8_t byte) {
    uint32_t mixed = (crc >> 8) ^ byte;

    mixed ^= mixed >> 4;
    return (uint16_t)((uint32_t)crc << 8 ^ mixed << 12 ^ mixed << 5 ^ mixed);
}

#endif
