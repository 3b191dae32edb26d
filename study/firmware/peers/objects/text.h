/* Strings in the encodings of Java's formats: UTF-16 code units, surrogates too, as one to three bytes each. Modified
 * UTF-8 (Java serialization) has two bytes for the character 0; Kryo has one. */
#ifndef HW_PEERS_OBJECTS_TEXT_H
#define HW_PEERS_OBJECTS_TEXT_H

#include "runtime/thread.h"

/* The characters of a string. Valid until the next safepoint. */
struct text {
    const uint8_t *data;
    uint32_t units;
    uint32_t coder; /* log2 of a unit's bytes */
};

struct text text_of(hw_ref string);

/* Returns the bytes of the encoded characters. They are as many as the units if and only if every character is ASCII
 * (and, with `modified`, not 0). */
uint32_t text_bytes(const struct text *text, bool modified);

/* Writes the encoded characters, which take `bytes` bytes, and returns the address behind them. */
uint8_t *text_put(uint8_t *to, const struct text *text, uint32_t bytes, bool modified);

/* Size of encoded characters, before there is a string. */
struct text_shape {
    uint32_t units, bytes;
    bool wide; /* whether a unit is above 0xff */
};

/* Examines up to `units` characters in `bytes` bytes, but not one that is cut off by their end. Returns false if the
 * character at `shape->bytes` is malformed. */
bool text_scan(const uint8_t *from, uint32_t bytes, uint32_t units, struct text_shape *shape);

/* Returns how many of the first `most` bytes precede one that is not ASCII. */
uint32_t text_ascii(const uint8_t *from, uint32_t most);

/* Makes the string, in a slot that is a root. Returns false with an error if there is no room. A safepoint. */
bool text_new(hw_ref *slot, const uint8_t *from, const struct text_shape *shape);

#endif
