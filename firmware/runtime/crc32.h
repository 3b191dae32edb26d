/* CRC-32 as zlib, Ethernet and PNG have it (reflected 0x04C11DB7). */
#ifndef HW_RUNTIME_CRC32_H
#define HW_RUNTIME_CRC32_H

#include <stddef.h>
#include <stdint.h>

/* The CRC of what `crc` is the CRC of (0: nothing), followed by `size` bytes. */
uint32_t hw_crc32(uint32_t crc, const void *data, size_t size);

#endif
