/* Byte strings: reading them, their words, and the check for UTF-8 that protobuf requires. */
#ifndef HW_PROTOBUF_CODEC_STRING_H
#define HW_PROTOBUF_CODEC_STRING_H

#include <stdbool.h>

#include "runtime/object.h"

#define HIGH_BITS 0x80808080u /* of a word's bytes; none is set in ASCII */

typedef uint32_t __attribute__((may_alias)) text_word;

/* Loads a word that contains at least one byte of the string, so the load cannot fault. The address sanitizer would
 * reject the word's other bytes. */
static inline __attribute__((no_sanitize("address"))) uint32_t load(const uint8_t *at) {
    return *(const text_word *)(const void *)at;
}

/* A word of text that may hold ASCII and sequences of two bytes, by the top bits of its bytes. */
struct narrow_word {
    uint32_t first; /* the bytes that begin a sequence */
    uint32_t rest;  /* the bytes that go on with a sequence although the byte before does not ask for it, or do not
                       although it does; in front of the lowest byte none asks */
    uint32_t amiss; /* the bytes that begin a longer sequence, or one without a bit of the character (overlong) */
};

/* `high` is the top bit of each of `bytes`; callers have it already. */
static inline struct narrow_word narrow_word(uint32_t bytes, uint32_t high) {
    uint32_t first = high & bytes << 1;

    return (struct narrow_word){.first = first,
                                .rest = (high ^ first) ^ first << 8,
                                .amiss = first & (bytes << 2 | ~((bytes & 0x1e1e1e1e) + 0x7e7e7e7e))};
}

struct decoder;

/* Returns whether the text is UTF-8: no overlong form, no surrogate, nothing beyond U+10FFFF, nothing cut short. */
bool protobuf_utf8_valid(const uint8_t *text, uint32_t length);

/* Copies the `length` bytes at `at` into a new byte string, in the fixed arena, for `slot`. Errors, in this order: the
 * bytes must be UTF-8
 * (`text`) and are not; there is no room. */
const uint8_t *protobuf_read_string(struct decoder *decoder, hw_ref *slot, const uint8_t *origin, const uint8_t *at,
                                    uint32_t length, bool text);

#endif
