#include "packet/frame.h"

#define FULL_BLOCK 0xff /* code of a block of 254 bytes without a zero behind it */

size_t hw_cobs_encode(const uint8_t *data, size_t size, uint8_t *output) {
    size_t code_at = 0, at = 1;
    uint8_t code = 1;

    for (size_t i = 0; i < size; i++) {
        if (data[i] != 0) {
            output[at++] = data[i];
            code++;
        }
        if (data[i] == 0 || code == FULL_BLOCK) {
            output[code_at] = code;
            /* A full block at the very end needs no empty block behind it. */
            if (code == FULL_BLOCK && data[i] != 0 && i + 1 == size) return at;
            code = 1;
            code_at = at++;
        }
    }
    output[code_at] = code;
    return at;
}

size_t hw_cobs_decode(uint8_t *data, size_t size) {
    size_t from = 0, to = 0;

    if (size == 0) return COBS_ERROR;
    while (from < size) {
        uint8_t code = data[from++];

        if (code == 0 || code - 1u > size - from) return COBS_ERROR;
        for (unsigned i = 1; i < code; i++) {
            if (data[from] == 0) return COBS_ERROR;
            data[to++] = data[from++];
        }
        if (code != FULL_BLOCK && from < size) data[to++] = 0;
    }
    return to;
}
