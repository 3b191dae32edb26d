/* memcpy, memset and memmove that move words, eight at a time. Every program here uses them, the peers above all. A
 * target that is not aligned is first brought to a word boundary; a source that is not aligned is read in words and
 * shifted.
 *
 * Words are loaded in groups before they are stored, because the result of a load is available a cycle or two late.
 * Compiled so that the compiler does not turn these loops into calls of memcpy.
 */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef uint32_t __attribute__((may_alias)) word;

#define BLOCK 32 /* in bytes: a line of the data cache */

static inline void copy_words(word **to, const word **from, size_t *size) {
    word *target = *to;
    const word *source = *from;
    size_t left = *size;

    for (; left >= BLOCK; left -= BLOCK, source += 8, target += 8) {
        word a = source[0], b = source[1], c = source[2], d = source[3];
        word e = source[4], f = source[5], g = source[6], h = source[7];
        target[0] = a, target[1] = b, target[2] = c, target[3] = d;
        target[4] = e, target[5] = f, target[6] = g, target[7] = h;
    }
    for (; left >= 4; left -= 4) *target++ = *source++;
    *to = target, *from = source, *size = left;
}

/* Copies whole words to an aligned target from a source that is `skew` bytes past a word boundary. Returns the bytes
 * copied. */
static inline size_t copy_shifted(word *target, const word *source, unsigned skew, size_t size) {
    unsigned down = skew * 8, up = 32 - down;
    word held = *source++;
    size_t left = size;

    for (; left >= 16; left -= 16, source += 4, target += 4) {
        word a = source[0], b = source[1], c = source[2], d = source[3];
        target[0] = held >> down | a << up;
        target[1] = a >> down | b << up;
        target[2] = b >> down | c << up;
        target[3] = c >> down | d << up;
        held = d;
    }
    for (; left >= 4; left -= 4) {
        word next = *source++;
        *target++ = held >> down | next << up;
        held = next;
    }
    return size - left;
}

void *memcpy(void *restrict destination, const void *restrict origin, size_t size) {
    uint8_t *target = destination;
    const uint8_t *source = origin;

    if (size >= 8) {
        for (; (uintptr_t)target % 4; size--) *target++ = *source++;
        unsigned skew = (uintptr_t)source % 4;
        if (skew == 0) {
            word *to = (word *)target;
            const word *from = (const word *)source;
            copy_words(&to, &from, &size);
            target = (uint8_t *)to, source = (const uint8_t *)from;
        } else {
            size_t done = copy_shifted((word *)target, (const word *)(source - skew), skew, size);
            target += done, source += done, size -= done;
        }
    }
    while (size--) *target++ = *source++;
    return destination;
}

void *memset(void *destination, int value, size_t size) {
    uint8_t *target = destination;
    uint32_t pattern = (uint8_t)value * 0x01010101u;

    if (size >= 8) {
        for (; (uintptr_t)target % 4; size--) *target++ = (uint8_t)value;
        word *to = (word *)target;
        for (; size >= BLOCK; size -= BLOCK, to += 8)
            to[0] = to[1] = to[2] = to[3] = to[4] = to[5] = to[6] = to[7] = pattern;
        for (; size >= 4; size -= 4) *to++ = pattern;
        target = (uint8_t *)to;
    }
    while (size--) *target++ = (uint8_t)value;
    return destination;
}

void *memmove(void *destination, const void *origin, size_t size) {
    uint8_t *target = destination;
    const uint8_t *source = origin;

    if ((uintptr_t)target - (uintptr_t)source >= size) return memcpy(destination, origin, size);
    while (size--) target[size] = source[size];
    return destination;
}
