#include "runtime/crc32.h"

#define POLYNOMIAL 0xedb88320u

#define NIBBLES 8u /* of a word */

/* tables[n][i]: what a nibble i with n nibbles behind it adds. All have 512 bytes, an eighth of the data cache; by
 * bytes they would have 4 KB. */
static uint32_t tables[NIBBLES][16];

static void fill_tables(void) {
    for (uint32_t i = 0; i < 16; i++) {
        uint32_t value = i;
        for (uint32_t n = 0; n < NIBBLES; n++) {
            for (int bit = 0; bit < 4; bit++) value = (value >> 1) ^ (value & 1 ? POLYNOMIAL : 0);
            tables[n][i] = value;
        }
    }
}

static inline uint32_t byte_after(uint32_t crc, uint8_t byte) {
    crc ^= byte;
    return (crc >> 8) ^ tables[1][crc & 15] ^ tables[0][crc >> 4 & 15];
}

uint32_t hw_crc32(uint32_t crc, const void *data, size_t size) {
    const uint8_t *bytes = data, *end = bytes + size;

    if (tables[0][1] == 0) fill_tables();
    crc = ~crc;
    for (; bytes != end && (uintptr_t)bytes % 4; bytes++) crc = byte_after(crc, *bytes);
    for (; end - bytes >= 4; bytes += 4) {
        uint32_t word = crc ^ *(const uint32_t *)bytes;

        crc = 0;
#pragma GCC unroll 8
        for (uint32_t n = 0; n < NIBBLES; n++) crc ^= tables[NIBBLES - 1 - n][word >> 4 * n & 15];
    }
    for (; bytes != end; bytes++) crc = byte_after(crc, *bytes);
    return ~crc;
}
