#include "protobuf/codec/string.h"

#include <string.h>

#include "protobuf/codec/decoder.h"

/* Returns the bytes of the sequence of two or more that begins at `text`, which holds `left` bytes; 0 if it is
 * malformed. */
static uint32_t sequence(const uint8_t *text, uint32_t left) {
    uint32_t first = text[0], low = 0x80, high = 0xbf;
    uint32_t bytes = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;

    if (first < 0xc2 || first > 0xf4 || left < bytes) return 0;
    if (first == 0xe0)
        low = 0xa0;
    else if (first == 0xed)
        high = 0x9f;
    else if (first == 0xf0)
        low = 0x90;
    else if (first == 0xf4)
        high = 0x8f;
    if (text[1] < low || text[1] > high) return 0;
    for (uint32_t i = 2; i < bytes; i++)
        if ((text[i] & 0xc0) != 0x80) return 0;
    return bytes;
}

/* Skips the words from an aligned address on that hold nothing but ASCII and well-formed sequences of two bytes.
 * Returns the address of a character of the first word that holds something else. */
static inline const uint8_t *skip_narrow(const uint8_t *text, const uint8_t *end) {
    const uint8_t *whole = end - (uintptr_t)end % 4; /* the words below are whole */
    uint32_t open = 0;                               /* 0x80 if the byte before begins a sequence */

    for (; text < end; text += 4) {
        if (open == 0)
            while (text < whole && (load(text) & HIGH_BITS) == 0) text += 4;
        if (text == end) break;
        uint32_t bytes = load(text);

        if (text == whole) bytes &= ~(~0u << (uintptr_t)end % 4 * 8);
        struct narrow_word word = narrow_word(bytes, bytes & HIGH_BITS);

        if (((word.rest ^ open) | word.amiss) != 0) return text - (open != 0);
        open = word.first >> 24;
    }
    return end - (open != 0);
}

bool protobuf_utf8_valid(const uint8_t *text, uint32_t length) {
    const uint8_t *end = text + length;

    while (text < end) {
        if ((uintptr_t)text % 4 == 0 && (text = skip_narrow(text, end)) == end) break;
        do {
            uint32_t bytes = *text < 0x80 ? 1 : sequence(text, (uint32_t)(end - text));

            if (bytes == 0) return false;
            text += bytes;
        } while (text < end && (uintptr_t)text % 4 != 0);
    }
    return true;
}

#define OVERHEAD (HW_OBJECT_BYTE_STRING_SIZE + HW_OBJECT_ARRAY_ELEMENTS)
#define SHORT 128u /* in bytes; for longer strings memcpy's long loops are worth the call */

/* Checks bytes that are not all ASCII. */
static __attribute__((noinline)) const uint8_t *check(struct decoder *decoder, const uint8_t *origin,
                                                      const uint8_t *from, uint32_t length) {
    return protobuf_utf8_valid(from, length) ? from + length : fail(decoder, HW_STATUS_INVALID_UTF8, origin);
}

static __attribute__((cold, noinline)) const uint8_t *no_room(struct decoder *decoder, const uint8_t *origin,
                                                              const uint8_t *from, uint32_t length, bool text) {
    if (text && !check(decoder, origin, from, length)) return NULL;
    return fail(decoder, HW_STATUS_FIXED_ARENA_FULL, origin);
}

static __attribute__((noinline)) const uint8_t *copy_long(struct decoder *decoder, const uint8_t *origin,
                                                          const uint8_t *from, uint32_t length, bool text, void *to) {
    memcpy(to, from, length);
    return text ? check(decoder, origin, from, length) : from + length;
}

/* Most of a message is strings, and most strings are short. Their bytes are therefore examined while they are copied,
 * in words whatever the alignment of the source. */
HOT const uint8_t *protobuf_read_string(struct decoder *decoder, hw_ref *slot, const uint8_t *origin, const uint8_t *at,
                                        uint32_t length, bool text) {
    hw_ref taken = decoder->fixed.top;
    uint32_t room = decoder->fixed.limit - taken;

    if (UNLIKELY(room < OVERHEAD || length > room - OVERHEAD)) return no_room(decoder, origin, at, length, text);

    struct hw_byte_string *string = hw_pointer(taken);
    struct hw_array *array = (struct hw_array *)(string + 1);
    text_word *to = (text_word *)(void *)array->elements;
    const uint8_t *const start = at, *const end = at + length;
    uint32_t mark = decoder->mark, skew = (uintptr_t)at % 4, seen = 0;

    decoder->fixed.top = taken + hw_object_round(OVERHEAD + length);
    *slot = taken;
    string->header.mark = mark;
    string->header.klass = decoder->byte_string;
    string->hash = 0;
    string->bytes = hw_reference(array);
    array->header.mark = mark;
    array->header.klass = decoder->byte_array;
    array->length = length;
    array->padding = 0;
    if (length % HW_OBJECT_ALIGNMENT != 0) { /* clears the bytes behind the last one */
        text_word *last = to + length / HW_OBJECT_ALIGNMENT * 2;
        last[0] = last[1] = 0;
    }
    if (UNLIKELY(length > SHORT)) return copy_long(decoder, origin, at, length, text, to);
    if (skew == 0) {
        for (; end - at >= 4; at += 4) seen |= *to++ = load(at);
    } else if (length >= 4) {
        const uint8_t *source = at - skew + 4;
        unsigned down = skew * 8, up = 32 - down;
        uint32_t held = load(source - 4) >> down;

        for (; end - at >= 8; at += 8, source += 8, to += 2) {
            uint32_t next = load(source), after = load(source + 4);
            uint32_t first = held | next << up, second = next >> down | after << up;

            to[0] = first, to[1] = second;
            seen |= first | second;
            held = after >> down;
        }
        if (end - at >= 4) {
            uint32_t first = held | load(source) << up;

            *to++ = first;
            seen |= first;
            at += 4;
        }
    }
    for (uint8_t *byte = (uint8_t *)to; at < end; byte++) {
        uint32_t value = *at++;

        *byte = (uint8_t)value;
        seen |= value;
    }
    if (UNLIKELY((seen & HIGH_BITS) != 0 && text)) return check(decoder, origin, start, length);
    return end;
}
