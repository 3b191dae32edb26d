/* CRC-32 as used by zlib, Ethernet and PNG (reflected polynomial 0x04C11DB7). */
#ifndef HW_RUNTIME_CRC32_H
#define HW_RUNTIME_CRC32_H

#include <stddef.h>
#include <stdint.h>

/* Continues a CRC: `crc` is the CRC of the data before (0: no data), the result that of this data followed by `size`
 * bytes at `data`. */
uint32_t hw_crc32(uint32_t crc, const void *data, size_t size);

#endif
