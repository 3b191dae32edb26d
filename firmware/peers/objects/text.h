/* Strings in the encodings of Java's formats: UTF-16 code units as one to three bytes each, surrogates too. Modified UTF-8
 * (Java serialization) has two bytes for the character 0, Kryo one. */
#ifndef HW_PEERS_OBJECTS_TEXT_H
#define HW_PEERS_OBJECTS_TEXT_H

#include <stdbool.h>

#include "runtime/handle.h"

/* A string's characters, valid until the next safepoint. */
struct text {
    const uint8_t *data;
    uint32_t units;
    uint32_t coder; /* log2 of a unit's bytes */
};

struct text text_of(hw_ref string);

/* Bytes of the characters. They are as many as the units if every character is ASCII (and, `modified`, not 0). */
uint32_t text_bytes(const struct text *text, bool modified);

/* Writes those bytes, `bytes` of them, and answers the place behind. */
uint8_t *text_put(uint8_t *to, const struct text *text, uint32_t bytes, bool modified);

/* What is known of encoded characters before there is a string. */
struct text_shape {
    uint32_t units, bytes;
    bool wide; /* a unit is above 0xff */
};

/* Looks at up to `units` characters in `bytes` bytes, and not at one that is cut off by their end. False: malformed at `shape->bytes`. */
bool text_scan(const uint8_t *from, uint32_t bytes, uint32_t units, struct text_shape *shape);

/* How many of the first `most` bytes come before one that is not ASCII. */
uint32_t text_ascii(const uint8_t *from, uint32_t most);

/* Makes the string in a slot that is a root. False with an exception: no room. A safepoint. */
bool text_new(hw_ref *slot, const uint8_t *from, const struct text_shape *shape);

#endif
