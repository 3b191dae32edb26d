/* Consistent overhead byte stuffing: bytes without zeros, at most one more in
 * 254, so that a zero ends a frame and nothing else does. */
#ifndef HW_PACKET_COBS_H
#define HW_PACKET_COBS_H

#include <stddef.h>
#include <stdint.h>

/* The most that `size` bytes become. */
#define COBS_ENCODED_MAX(size) ((size) + (size) / 254 + 1)

/* What cobs_decode answers for bytes that no encoder makes. */
#define COBS_ERROR ((size_t)-1)

/* Encodes `size` bytes into `output`, which has COBS_ENCODED_MAX(size); the bytes written. */
size_t cobs_encode(const uint8_t *data, size_t size, uint8_t *output);

/* Decodes in place; the bytes left, or COBS_ERROR. */
size_t cobs_decode(uint8_t *data, size_t size);

#endif
