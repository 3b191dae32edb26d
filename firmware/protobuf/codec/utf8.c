#include "protobuf/codec/utf8.h"

#define HIGH_BITS 0x80808080u

/* Returns the bytes of the sequence of two or more that begins at `text`, which holds `left` bytes; 0 if it is
 * malformed. */
static uint32_t sequence(const uint8_t *text, uint32_t left) {
    uint32_t first = text[0], low = 0x80, high = 0xbf;
    uint32_t bytes = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;

    if (first < 0xc2 || first > 0xf4 || left < bytes) return 0;
    if (first == 0xe0)
        low = 0xa0;
    else if (first == 0xed)
        high = 0x9f;
    else if (first == 0xf0)
        low = 0x90;
    else if (first == 0xf4)
        high = 0x8f;
    if (text[1] < low || text[1] > high) return 0;
    for (uint32_t i = 2; i < bytes; i++)
        if ((text[i] & 0xc0) != 0x80) return 0;
    return bytes;
}

bool protobuf_utf8_valid(const uint8_t *text, uint32_t length) {
    const uint8_t *end = text + length;

    while (text < end) {
        /* Skips words of four ASCII characters, once the address is aligned. */
        if (((uintptr_t)text & 3) == 0)
            while (end - text >= 4 && (*(const uint32_t *)(const void *)text & HIGH_BITS) == 0) text += 4;
        if (text == end) break;
        if (*text < 0x80) {
            text++;
            continue;
        }
        uint32_t bytes = sequence(text, (uint32_t)(end - text));

        if (bytes == 0) return false;
        text += bytes;
    }
    return true;
}
