#include "runtime/crc32.h"

#define POLYNOMIAL 0xedb88320u

/* Each byte takes two look-ups of a nibble: the table has 64 bytes instead of 1 KB, which would fill a quarter of the
 * data cache. */
static uint32_t table[16];

static void fill_table(void) {
    for (uint32_t i = 0; i < 16; i++) {
        uint32_t value = i;
        for (int bit = 0; bit < 4; bit++) value = (value >> 1) ^ (value & 1 ? POLYNOMIAL : 0);
        table[i] = value;
    }
}

uint32_t hw_crc32(uint32_t crc, const void *data, size_t size) {
    const uint8_t *bytes = data;

    if (table[1] == 0) fill_table();
    crc = ~crc;
    for (size_t i = 0; i < size; i++) {
        crc ^= bytes[i];
        crc = (crc >> 4) ^ table[crc & 15];
        crc = (crc >> 4) ^ table[crc & 15];
    }
    return ~crc;
}
