/* CRC-16 of SFL frames: polynomial 0x1021, from 0, high bit first (XMODEM's). */
#ifndef HEAPWIRE_BOOT_CRC16_H
#define HEAPWIRE_BOOT_CRC16_H

#include <stdint.h>

/* A byte at a time and without a table: fast enough to be done while the next byte arrives, and small. */
static inline uint16_t crc16_next(uint16_t crc, uint8_t byte)
{
    uint32_t mixed = (crc >> 8) ^ byte;

    mixed ^= mixed >> 4;
    return (uint16_t)((uint32_t)crc << 8 ^ mixed << 12 ^ mixed << 5 ^ mixed);
}

#endif
