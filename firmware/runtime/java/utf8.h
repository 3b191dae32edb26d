/* UTF-8 as the JVM reads and writes it. */
#ifndef HW_RUNTIME_JAVA_UTF8_H
#define HW_RUNTIME_JAVA_UTF8_H

#include <stdint.h>

#define HW_UTF8_REPLACEMENT 0xfffdu

/* Returns the code point that begins at `text`, which holds `left` bytes, at least one. `*used` becomes the number of
 * its bytes. A malformed sequence is one replacement character: it ends before the first byte that cannot continue it;
 * an encoded surrogate is replaced as a whole. */
uint32_t hw_utf8_decode(const uint8_t *text, uint32_t left, uint32_t *used);

/* Writes the 1 to 4 bytes of a code point, which must not be a surrogate, and returns their number. */
uint32_t hw_utf8_encode(uint32_t point, uint8_t *text);

#endif
