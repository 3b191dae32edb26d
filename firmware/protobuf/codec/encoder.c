#include "protobuf/codec/encoder.h"

#include <string.h>

#include "protobuf/codec/string.h"

#define GROUP_BITS 28
#define GROUP_BYTES 4
#define CONTINUED 0x80u

/* Writes the lowest `bytes` bytes of a varint; the top bit of the last one is `continued`. Inlined with constants, so
 * that no loop is left. */
ALWAYS_INLINE void put_bytes(uint8_t *to, uint32_t value, uint32_t bytes, uint32_t continued) {
#pragma GCC unroll 5
    for (uint32_t i = 0; i < bytes; i++) to[i] = (uint8_t)(value >> 7 * i | (i + 1 < bytes ? CONTINUED : continued));
}

ALWAYS_INLINE uint8_t *put_long(struct encoder *encoder, uint8_t *at, uint32_t value) {
    uint32_t room = (uint32_t)(at - encoder->output);

#define PUT_IF(condition, bytes)                                                        \
    if (condition) {                                                                    \
        if (UNLIKELY(room < (bytes))) return refuse(encoder, HW_STATUS_OUTPUT_FULL, 0); \
        put_bytes(at - (bytes), value, (bytes), 0);                                     \
        return at - (bytes);                                                            \
    }
    PUT_IF(value < 1u << 7, 1)
    PUT_IF(value < 1u << 14, 2)
    PUT_IF(value < 1u << 21, 3)
    PUT_IF(value < 1u << 28, 4)
    PUT_IF(true, 5)
}

OFTEN uint8_t *protobuf_put_long_varint32(struct encoder *encoder, uint8_t *at, uint32_t value) {
    return put_long(encoder, at, value);
}

/* Works in groups of 28 bits, which avoids shifts of 64 bits. */
OFTEN uint8_t *protobuf_put_wide_varint(struct encoder *encoder, uint8_t *at, uint32_t low, uint32_t high) {
    uint32_t middle = (low >> GROUP_BITS | high << (32 - GROUP_BITS)) & ((1u << GROUP_BITS) - 1);
    uint32_t top = high >> (2 * GROUP_BITS - 32);
    uint32_t groups = top != 0 ? 2 : 1;

    at = put_long(encoder, at, top != 0 ? top : middle);
    if (!at || !(at = take(encoder, at, groups * GROUP_BYTES))) return NULL;
    put_bytes(at, low, GROUP_BYTES, CONTINUED);
    if (top != 0) put_bytes(at + GROUP_BYTES, middle, GROUP_BYTES, CONTINUED);
    return at;
}

/* Inlined with constants, so that each encoding has a loop of its own. */
ALWAYS_INLINE uint8_t *put_all(struct encoder *encoder, uint8_t *at, uint32_t type, uint32_t size,
                               const uint8_t *values, uint32_t count, uint32_t key) {
    for (const uint8_t *value = values + count * size; value > values;) {
        at = put_scalar(encoder, at, type, value -= size, false);
        if (!at || (key != 0 && !(at = put_varint32(encoder, at, key)))) return NULL;
    }
    return at;
}

uint8_t *protobuf_put_scalars(struct encoder *encoder, uint8_t *at, uint32_t type, const uint8_t *values,
                              uint32_t count, uint32_t key) {
    if (key == 0 && SCALARS_FIXED >> type & 1) {
        uint32_t bytes = count << hw_value_shift(type);

        at = take(encoder, at, bytes);
        return at ? memcpy(at, values, bytes) : NULL;
    }
    switch (type) { /* one of each encoding */
        case HW_TYPE_UINT32:
            return put_all(encoder, at, HW_TYPE_UINT32, 4, values, count, key);
        case HW_TYPE_INT32:
        case HW_TYPE_ENUM:
            return put_all(encoder, at, HW_TYPE_INT32, 4, values, count, key);
        case HW_TYPE_SINT32:
            return put_all(encoder, at, HW_TYPE_SINT32, 4, values, count, key);
        case HW_TYPE_SINT64:
            return put_all(encoder, at, HW_TYPE_SINT64, 8, values, count, key);
        case HW_TYPE_BOOL:
            return put_all(encoder, at, HW_TYPE_BOOL, 1, values, count, key);
        case HW_TYPE_FLOAT:
        case HW_TYPE_FIXED32:
        case HW_TYPE_SFIXED32:
            return put_all(encoder, at, HW_TYPE_FIXED32, 4, values, count, key);
        case HW_TYPE_DOUBLE:
        case HW_TYPE_FIXED64:
        case HW_TYPE_SFIXED64:
            return put_all(encoder, at, HW_TYPE_FIXED64, 8, values, count, key);
        default:
            return put_all(encoder, at, HW_TYPE_UINT64, 8, values, count, key);
    }
}

#define LONG 128u /* in bytes; for longer byte strings that are not text memcpy is worth the call */

/* What copy_down knows of text, from its end on. */
struct checked {
    uint32_t mask; /* HIGH_BITS; 0 for bytes that are no text, or once a word was amiss */
    uint32_t due;  /* not 0 if the word before must end with the first byte of a sequence */
};

static inline bool ascii(const struct checked *checked, uint32_t bytes) {
    return ((bytes & checked->mask) | checked->due) == 0;
}

static inline void check_word(struct checked *checked, uint32_t bytes) {
    if (LIKELY(ascii(checked, bytes))) return;
    struct narrow_word word = narrow_word(bytes, bytes & checked->mask);
    uint32_t due = word.rest & CONTINUED;

    if (UNLIKELY(((word.rest ^ due) | word.amiss | (word.first >> 24 ^ checked->due)) != 0))
        *checked = (struct checked){0};
    else
        checked->due = due;
}

/* Copies `length` bytes from an aligned address so that they end at `end`, in words whatever the alignment of `end`.
 * The word that holds the first byte is written whole: up to three bytes in front of it, too, which are not written
 * yet. Text is examined while it is copied: returns whether it is known to be UTF-8. */
static inline bool copy_down(uint8_t *end, const uint8_t *from, uint32_t length, bool text) {
    struct checked checked = {.mask = text ? HIGH_BITS : 0};
    const text_word *first = (const text_word *)(const void *)from, *source = first + length / 4;

    if (length % 4 != 0) check_word(&checked, load((const uint8_t *)source) & ~(~0u << length % 4 * 8));
    for (; length != 0 && (uintptr_t)end % 4 != 0;) *--end = from[--length];
    if (source > first + length / 4) check_word(&checked, *--source);

    uint32_t down = length % 4 * 8, up = 32 - down;
    text_word *to = (text_word *)(void *)end;

    if (down == 0) {
        while (source > first) {
            uint32_t word = *--source;

            *--to = word;
            check_word(&checked, word);
        }
        return checked.mask != 0 && checked.due == 0;
    }
    uint32_t held = load((const uint8_t *)source) << up;

    for (; source > first + 1; source -= 2, to -= 2) {
        uint32_t next = source[-1], after = source[-2];

        to[-1] = held | next >> down, to[-2] = next << up | after >> down;
        held = after << up;
        if (UNLIKELY(!ascii(&checked, next | after))) {
            check_word(&checked, next);
            check_word(&checked, after);
        }
    }
    if (source > first) {
        uint32_t word = *--source;

        *--to = held | word >> down;
        held = word << up;
        check_word(&checked, word);
    }
    *--to = held;
    return checked.mask != 0 && checked.due == 0;
}

/* Writes the bytes of a string where copy_down has no room, or is not the fastest. */
static __attribute__((noinline)) uint8_t *copy_exactly(struct encoder *encoder, uint8_t *at, const uint8_t *from,
                                                       uint32_t length, hw_ref reference, bool text) {
    if (text && !protobuf_utf8_valid(from, length)) return refuse(encoder, HW_STATUS_INVALID_UTF8, reference);
    at = take(encoder, at, length);
    return at ? memcpy(at, from, length) : NULL;
}

ALWAYS_INLINE uint8_t *put_prefix(struct encoder *encoder, uint8_t *at, uint32_t length, const struct hw_field *field) {
    at = put_varint32(encoder, at, length);
    return at ? put_varint32(encoder, at, HW_GET(field, ENTRY_KEY)) : NULL;
}

/* Writes a view, whose bytes may lie anywhere within the bounds. */
static __attribute__((noinline)) uint8_t *put_view(struct encoder *encoder, uint8_t *at, hw_ref reference,
                                                   const struct hw_field *field) {
    const struct hw_byte_view *view = object_at(encoder, reference, sizeof *view);
    uint32_t before = -encoder->bound; /* from the lowest bound to the first byte that an offset can mean */
    bool within = true;

    if (!view) return NULL;
    if (view->owner) {
        const struct hw_array *array = object_at(encoder, view->owner, HW_OBJECT_ARRAY_ELEMENTS);

        before = view->owner + HW_OBJECT_ARRAY_ELEMENTS - encoder->bound;
        within = array && view->offset <= array->length && view->length <= array->length - view->offset &&
                 view->offset <= encoder->span - before;
    }
    uint32_t distance = before + view->offset, length = view->length;

    if (!within || distance > encoder->span || length > encoder->span - distance)
        return refuse(encoder, HW_STATUS_BAD_OBJECT, reference);
    if (length == 0 && HW_GET(field, ENTRY_PRESENCE) == HW_ADT_PRESENCE_IMPLICIT) return at;
    const uint8_t *from = hw_pointer(encoder->bound + distance);

    at = copy_exactly(encoder, at, from, length, reference, HW_GET(field, ENTRY_CHECK_UTF8));
    return at ? put_prefix(encoder, at, length, field) : NULL;
}

OFTEN uint8_t *protobuf_put_string(struct encoder *encoder, uint8_t *at, hw_ref reference,
                                   const struct hw_field *field) {
    const struct hw_byte_string *string = object_at(encoder, reference, HW_OBJECT_BYTE_STRING_SIZE);

    if (!string) return NULL;
    if (UNLIKELY(string->bytes == HW_OBJECT_BYTE_VIEW_MARK)) return put_view(encoder, at, reference, field);
    const struct hw_array *array = array_at(encoder, string->bytes, 0, reference);

    if (!array) return NULL;
    const bool text = HW_GET(field, ENTRY_CHECK_UTF8);
    uint32_t length = array->length, room = (uint32_t)(at - encoder->output);

    if (length == 0 && HW_GET(field, ENTRY_PRESENCE) == HW_ADT_PRESENCE_IMPLICIT) return at;
    if (UNLIKELY(room < 3 || length > room - 3 || (!text && length > LONG))) {
        at = copy_exactly(encoder, at, array->elements, length, reference, text);
        if (!at) return NULL;
    } else {
        bool valid = copy_down(at, array->elements, length, text);

        if (UNLIKELY(!valid) && text && !protobuf_utf8_valid(array->elements, length))
            return refuse(encoder, HW_STATUS_INVALID_UTF8, reference);
        at -= length;
    }
    return put_prefix(encoder, at, length, field);
}
