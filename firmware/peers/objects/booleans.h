/* Arrays of booleans as they come: a byte here is 0 or 1, which a stream need not keep to. */
#ifndef HW_PEERS_OBJECTS_BOOLEANS_H
#define HW_PEERS_OBJECTS_BOOLEANS_H

#include <stdbool.h>
#include <stdint.h>

/* Looks at an array's elements, which begin at a word, by words: what is behind the last one is the array's, and zero. What is
 * neither 0 nor 1 becomes `others`. */
static inline void booleans_normalise(void *elements, uint32_t length, bool others)
{
    uint32_t __attribute__((may_alias)) *word = elements, *end = word + (length + 3) / 4;

    for (; word < end; word++) {
        uint32_t value = *word, rest = value & 0xfefefefe;

        if (__builtin_expect(rest == 0, 1))
            continue;
        /* Bit 7 of each byte that is neither: no sum of seven bits goes beyond its byte. */
        uint32_t strange = (((rest & 0x7f7f7f7f) + 0x7f7f7f7f) | rest) >> 7 & 0x01010101;

        *word = others ? (value & 0x01010101) | strange : value & 0x01010101 & ~strange;
    }
}

#endif
