#include "peers/objects/text.h"

#include <string.h>

#include "classes.h"
#include "peers/objects/result.h"
#include "runtime/heap/card.h"

#define HIGH_BITS 0x80808080u
#define LOW_BITS 0x01010101u
#define LATIN1 0
#define UTF16 1

typedef uint32_t __attribute__((may_alias)) word;

struct text text_of(hw_ref string) {
    const char *object = hw_pointer(string);
    uint32_t coder = *(const uint8_t *)(object + HW_CLASS_String_coder);
    const struct hw_array *value = hw_pointer(*(const hw_ref *)(object + HW_CLASS_String_value));

    return (struct text){
        .data = (const uint8_t *)value + HW_OBJECT_METADATA_ARRAY_ELEMENTS,
        .units = value->length >> coder,
        .coder = coder,
    };
}

static inline uint32_t unit_bytes(uint32_t unit, bool modified) {
    return unit >= 0x80 ? 2 + (unit >= 0x800) : 1 + (modified && unit == 0);
}

/* Reads by words: elements begin at a word, and the bytes behind the last element belong to the array. */
static uint32_t latin1_bytes(const struct text *text, bool modified) {
    const word *words = (const word *)(const void *)text->data;
    uint32_t units = text->units, i = 0, low = modified ? LOW_BITS : 0, bytes = units;

    for (; i + 4 <= units; i += 4) {
        uint32_t value = *words++;

        /* Tests for a byte that is 0 or above 0x7f. A borrow can only come from a byte that is 0, so it does no
         * harm. */
        if (UNLIKELY((((value - low) | value) & HIGH_BITS) != 0)) break;
    }
    for (; i < units; i++) bytes += unit_bytes(text->data[i], modified) - 1;
    return bytes;
}

uint32_t text_bytes(const struct text *text, bool modified) {
    const uint16_t *units = (const void *)text->data;
    uint32_t bytes = 0;

    if (LIKELY(text->coder == LATIN1)) return latin1_bytes(text, modified);
    for (uint32_t i = 0; i < text->units; i++) bytes += unit_bytes(units[i], modified);
    return bytes;
}

uint8_t *text_put(uint8_t *to, const struct text *text, uint32_t bytes, bool modified) {
    const uint16_t *wide = (const void *)text->data;

    if (LIKELY(bytes == text->units && text->coder == LATIN1)) {
        memcpy(to, text->data, bytes);
        return to + bytes;
    }
    for (uint32_t i = 0; i < text->units; i++) {
        uint32_t unit = text->coder == LATIN1 ? text->data[i] : wide[i], length = unit_bytes(unit, modified);

        if (length == 1) {
            *to++ = (uint8_t)unit;
        } else if (length == 2) {
            *to++ = (uint8_t)(0xc0 | unit >> 6);
            *to++ = (uint8_t)(0x80 | (unit & 0x3f));
        } else {
            *to++ = (uint8_t)(0xe0 | unit >> 12);
            *to++ = (uint8_t)(0x80 | (unit >> 6 & 0x3f));
            *to++ = (uint8_t)(0x80 | (unit & 0x3f));
        }
    }
    return to;
}

/* Returns the bytes of the character that begins with `lead`; 0 if none does. */
static inline uint32_t encoded(uint32_t lead) { return lead < 0x80 ? 1 : lead >> 5 == 6 ? 2 : lead >> 4 == 14 ? 3 : 0; }

static inline uint32_t decode(const uint8_t *from, uint32_t length) {
    if (length == 1) return from[0];
    if (length == 2) return (from[0] & 0x1fu) << 6 | (from[1] & 0x3fu);
    return (from[0] & 0xfu) << 12 | (from[1] & 0x3fu) << 6 | (from[2] & 0x3fu);
}

uint32_t text_ascii(const uint8_t *from, uint32_t most) {
    const uint8_t *at = from, *end = from + most;

    while (at < end && ((uintptr_t)at & 3) != 0)
        if (*at++ >= 0x80) return (uint32_t)(at - 1 - from);
    while (end - at >= 4 && LIKELY((*(const word *)(const void *)at & HIGH_BITS) == 0)) at += 4;
    while (at < end && *at < 0x80) at++;
    return (uint32_t)(at - from);
}

bool text_scan(const uint8_t *from, uint32_t bytes, uint32_t units, struct text_shape *shape) {
    uint32_t ascii = text_ascii(from, bytes < units ? bytes : units);

    *shape = (struct text_shape){.units = ascii, .bytes = ascii};
    while (shape->units < units && shape->bytes < bytes) {
        const uint8_t *at = from + shape->bytes;
        uint32_t length = encoded(*at);

        if (length > bytes - shape->bytes) break;
        if (length == 0 || (length > 1 && at[1] >> 6 != 2) || (length == 3 && at[2] >> 6 != 2)) return false;
        shape->wide |= decode(at, length) > 0xff;
        shape->bytes += length;
        shape->units++;
    }
    return true;
}

static void decode_all(uint8_t *to, const uint8_t *from, const struct text_shape *shape) {
    uint16_t *wide = (void *)to;

    if (shape->bytes == shape->units) {
        memcpy(to, from, shape->bytes);
        return;
    }
    for (uint32_t i = 0; i < shape->units; i++) {
        uint32_t length = encoded(*from), unit = decode(from, length);

        if (shape->wide)
            wide[i] = (uint16_t)unit;
        else
            to[i] = (uint8_t)unit;
        from += length;
    }
}

bool text_new(hw_ref *slot, const uint8_t *from, const struct text_shape *shape) {
    uint32_t coder = shape->wide ? UTF16 : LATIN1;
    hw_ref value = hw_allocate_array(HW_CLASS_byte_array, shape->units << coder);

    if (UNLIKELY(!value)) return false;
    decode_all((uint8_t *)hw_pointer(value) + HW_OBJECT_METADATA_ARRAY_ELEMENTS, from, shape);
    *slot = value;
    hw_ref string = hw_allocate(HW_CLASS_String);

    if (UNLIKELY(!string)) return false;
    *(uint8_t *)hw_pointer(string + HW_CLASS_String_coder) = (uint8_t)coder;
    hw_write(hw_pointer(string + HW_CLASS_String_value), *slot);
    *slot = string;
    return true;
}
