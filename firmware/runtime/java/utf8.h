/* UTF-8 as the JVM reads it. */
#ifndef HW_RUNTIME_JAVA_UTF8_H
#define HW_RUNTIME_JAVA_UTF8_H

#include <stdint.h>

#define HW_UTF8_REPLACEMENT 0xfffdu

/* The code point that begins at `text`, which holds `left` bytes, at least one; moves `*used` bytes on.
 * A malformed sequence is one replacement character: the bytes up to the first that cannot
 * continue it; an encoded surrogate as a whole. */
uint32_t hw_utf8_decode(const uint8_t *text, uint32_t left, uint32_t *used);

/* Writes the 1 to 4 bytes of a code point, which is no surrogate, and answers how many. */
uint32_t hw_utf8_encode(uint32_t point, uint8_t *text);

#endif
