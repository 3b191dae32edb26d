/* java.lang.String with compact strings: an array of Latin-1 bytes, or of UTF-16 code units in the core's byte order if
 * a character does not fit into Latin-1.
 *
 * Indices and lengths count UTF-16 code units, as in Java. A function that makes a string is a safepoint; it returns a
 * local handle, or NULL with an error.
 */
#ifndef HW_RUNTIME_JAVA_STRING_H
#define HW_RUNTIME_JAVA_STRING_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/thread.h"

/* Returns whether the functions below may read a String: its value is an array of bytes, and its coder is one of
 * Java's. A stream of Cereal or Skyway may hold a String without them. */
bool hw_string_is_sound(hw_ref string);

/* Returns the string of a UTF-8 text that does not move. As in Java, each malformed sequence becomes U+FFFD. */
hw_handle hw_string_from_utf8(const void *text, uint32_t length);

/* Returns the string of `length` bytes of UTF-8 from `offset` on in a byte array, Java's or the runtime's own. The
 * range must lie in the array. */
hw_handle hw_string_from_utf8_array(hw_handle array, uint32_t offset, uint32_t length);

/* Returns the string of a protobuf string: a byte string, or a view. */
hw_handle hw_string_from_bytes(hw_handle bytes);

/* Writes the first `capacity` bytes of the string in UTF-8 to `text`, without a final zero, and returns how many bytes
 * the whole string has. As in Java, a surrogate without its other half becomes '?'. */
uint32_t hw_string_to_utf8(hw_handle string, void *text, uint32_t capacity);

uint32_t hw_string_length(hw_handle string);

/* `index` must be less than the length. */
uint16_t hw_string_char_at(hw_handle string, uint32_t index);

/* Returns String.equals(). `other` may be NULL, the null reference. */
bool hw_string_equals(hw_handle string, hw_handle other);

/* Returns String.hashCode(), which is computed once. */
int32_t hw_string_hash(hw_handle string);

/* Returns String.compareTo(): negative, 0 or positive, by code units. */
int32_t hw_string_compare(hw_handle string, hw_handle other);

/* UTF-8 as the JVM reads and writes it. */

#define HW_UTF8_REPLACEMENT 0xfffdu

/* Returns the code point that begins at `text`, which holds `left` bytes, at least one. `*used` becomes the number of
 * its bytes. A malformed sequence is one replacement character: it ends before the first byte that cannot continue it;
 * an encoded surrogate is replaced as a whole. */
uint32_t hw_utf8_decode(const uint8_t *text, uint32_t left, uint32_t *used);

/* Writes the 1 to 4 bytes of a code point, which must not be a surrogate, and returns their number. */
uint32_t hw_utf8_encode(uint32_t point, uint8_t *text);

#endif
