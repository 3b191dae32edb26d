#include "runtime/java/string.h"

#include <stdbool.h>

static bool continues(uint8_t byte) { return (byte & 0xc0) == 0x80; }

/* Returns whether `second` may follow `first`, which begins a sequence of three or four bytes. Excludes overlong forms
 * and code points beyond U+10FFFF. */
static bool may_follow(uint8_t first, uint8_t second) {
    if (!continues(second)) return false;
    switch (first) {
        case 0xe0:
            return second >= 0xa0;
        case 0xf0:
            return second >= 0x90;
        case 0xf4:
            return second < 0x90;
        default:
            return true;
    }
}

uint32_t hw_utf8_decode(const uint8_t *text, uint32_t left, uint32_t *used) {
    uint8_t first = text[0];
    uint32_t bytes = first < 0xc2 || first > 0xf4 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;

    *used = 1;
    if (first < 0x80) return first;
    if (bytes == 1 || left < 2 || (bytes == 2 ? !continues(text[1]) : !may_follow(first, text[1])))
        return HW_UTF8_REPLACEMENT;

    uint32_t point = (first & (0xffu >> (bytes + 1))) << 6 | (text[1] & 0x3f);

    for (*used = 2; *used < bytes; ++*used) {
        if (*used == left || !continues(text[*used])) return HW_UTF8_REPLACEMENT;
        point = point << 6 | (text[*used] & 0x3f);
    }
    return point >> 11 == 0xd800 >> 11 ? HW_UTF8_REPLACEMENT : point;
}

uint32_t hw_utf8_encode(uint32_t point, uint8_t *text) {
    if (point < 0x80) {
        text[0] = (uint8_t)point;
        return 1;
    }
    uint32_t bytes = point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;

    for (uint32_t i = bytes - 1; i > 0; i--, point >>= 6) text[i] = 0x80 | (point & 0x3f);
    text[0] = (uint8_t)(0xff00 >> bytes | point);
    return bytes;
}
