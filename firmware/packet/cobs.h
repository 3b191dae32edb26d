/* Consistent overhead byte stuffing (COBS): encodes bytes so that none is zero, with at most one more byte per 254. A
 * zero then marks the end of a frame, and nothing else does. */
#ifndef HW_PACKET_COBS_H
#define HW_PACKET_COBS_H

#include <stddef.h>
#include <stdint.h>

/* The most bytes that `size` bytes are encoded to. */
#define COBS_ENCODED_MAX(size) ((size) + (size) / 254 + 1)

/* The result of hw_cobs_decode for bytes that no encoder produces. */
#define COBS_ERROR ((size_t)-1)

/* Encodes `size` bytes into `output`, which has COBS_ENCODED_MAX(size) bytes. Returns the bytes written. */
size_t hw_cobs_encode(const uint8_t *data, size_t size, uint8_t *output);

/* Decodes in place. Returns the bytes left, or COBS_ERROR. */
size_t hw_cobs_decode(uint8_t *data, size_t size);

#endif
