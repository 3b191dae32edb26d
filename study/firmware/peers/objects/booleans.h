/* Normalizes arrays of booleans that were copied from a stream: a byte must be 0 or 1, but a stream may contain
 * others. */
#ifndef HW_PEERS_OBJECTS_BOOLEANS_H
#define HW_PEERS_OBJECTS_BOOLEANS_H

#include <stdbool.h>
#include <stdint.h>

/* Replaces every byte that is neither 0 nor 1 by `others`. Works by words: elements begin at a word, and the bytes
 * behind the last element belong to the array and are zero. */
static inline void booleans_normalise(void *elements, uint32_t length, bool others) {
    uint32_t __attribute__((may_alias)) *word = elements, *end = word + (length + 3) / 4;

    for (; word < end; word++) {
        uint32_t value = *word, rest = value & 0xfefefefe;

        if (__builtin_expect(rest == 0, 1)) continue;
        /* Bit 0 of each byte that is neither 0 nor 1. Sums of seven bits do not carry into the next byte. */
        uint32_t strange = (((rest & 0x7f7f7f7f) + 0x7f7f7f7f) | rest) >> 7 & 0x01010101;

        *word = others ? (value & 0x01010101) | strange : value & 0x01010101 & ~strange;
    }
}

#endif
