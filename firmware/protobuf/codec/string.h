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

struct decoder;

/* Returns whether the text is UTF-8: no overlong form, no surrogate, nothing beyond U+10FFFF, nothing cut short. */
bool protobuf_utf8_valid(const uint8_t *text, uint32_t length);

/* Copies the `length` bytes at `at` into a new byte string, in the fixed arena, for `slot`. Errors, in this order: the
 * bytes must be UTF-8
 * (`text`) and are not; there is no room. */
const uint8_t *protobuf_read_string(struct decoder *decoder, hw_ref *slot, const uint8_t *origin, const uint8_t *at,
                                    uint32_t length, bool text);

#endif
