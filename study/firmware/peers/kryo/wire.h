/* What is known of a value before it is written or read, and numbers in the encodings of Kryo's Output: little-endian,
 * or seven bits a byte, the lowest first. Functions that write do not check the end of the output: MAX_NUMBER bytes
 * suffice for any number. */
#ifndef HW_PEERS_KRYO_WIRE_H
#define HW_PEERS_KRYO_WIRE_H

#include "runtime/java/serial.h"

/* Values in place of a reference id, which begin at 2. */
#define KRYO_NULL 0
#define KRYO_NOT_NULL 1

#define KRYO_TRUE 1 /* Input.readBoolean: any other byte is false */

struct want {
    uint16_t exact;   /* its class; HW_KRYO_OPEN: the stream contains the class */
    uint16_t generic; /* its type arguments */
    bool nullable;    /* for an exact class: the value may be null */
};

#define OPEN_WANT ((struct want){.exact = HW_KRYO_OPEN, .nullable = true})

/* Returns what a field's type arguments say of its values. */
static inline struct want want_argument(uint32_t generic, uint32_t number) {
    const struct hw_kryo_generic *arguments = &hw_kryo_generics[generic];

    if (arguments->count == 0) return OPEN_WANT;
    return (struct want){.exact = arguments->exact[number], .generic = arguments->generic[number], .nullable = true};
}

#define MAX_NUMBER 9u
#define POSITIVE_LONG 'P' /* stands for a type: a long written by writeVarLong(value, true) */

static inline uint32_t zigzag(int32_t value) { return (uint32_t)value << 1 ^ (uint32_t)(value >> 31); }

static inline uint32_t unzigzag(uint32_t value) { return value >> 1 ^ -(value & 1); }

/* writeVarInt(value, true) */
static inline uint8_t *put_varint(uint8_t *to, uint32_t value) {
    for (; value >= 0x80; value >>= 7) *to++ = (uint8_t)(value | 0x80);
    *to++ = (uint8_t)value;
    return to;
}

/* writeVarIntFlag(flag, value, true): six bits with the flag above them, then as writeVarInt */
static inline uint8_t *put_varint_flag(uint8_t *to, bool flag, uint32_t value) {
    uint32_t first = (value & 0x3f) | (flag ? 0x80 : 0);

    if (value < 0x40) {
        *to++ = (uint8_t)first;
        return to;
    }
    *to++ = (uint8_t)(first | 0x40);
    return put_varint(to, value >> 6);
}

/* writeVarLong(value, true), given the words of a long: eight groups of seven bits and one of eight */
static inline uint8_t *put_varlong_positive(uint8_t *to, uint32_t low, uint32_t high) {
    for (uint32_t count = 1; (high != 0 || low >= 0x80) && count < MAX_NUMBER; count++) {
        *to++ = (uint8_t)(low | 0x80);
        low = low >> 7 | high << 25;
        high >>= 7;
    }
    *to++ = (uint8_t)low;
    return to;
}

/* writeVarLong(value, false): zigzag */
static inline uint8_t *put_varlong(uint8_t *to, uint32_t low, uint32_t high) {
    uint32_t sign = (uint32_t)((int32_t)high >> 31);

    return put_varlong_positive(to, low << 1 ^ sign, (high << 1 | low >> 31) ^ sign);
}

static inline uint8_t *put_little16(uint8_t *to, uint32_t value) {
    to[0] = (uint8_t)value;
    to[1] = (uint8_t)(value >> 8);
    return to + 2;
}

static inline uint8_t *put_little32(uint8_t *to, uint32_t value) {
    to[0] = (uint8_t)value;
    to[1] = (uint8_t)(value >> 8);
    to[2] = (uint8_t)(value >> 16);
    to[3] = (uint8_t)(value >> 24);
    return to + 4;
}

/* Writes a primitive value, from an aligned address, of a type given by its descriptor. */
static inline uint8_t *put_primitive(uint8_t *to, const void *from, uint8_t type) {
    const uint32_t *words = from;

    switch (type) {
        case 'I':
            return put_varint(to, zigzag((int32_t)words[0]));
        case 'J':
            return put_varlong(to, words[0], words[1]);
        case POSITIVE_LONG:
            return put_varlong_positive(to, words[0], words[1]);
        case 'F':
            return put_little32(to, words[0]);
        case 'D':
            return put_little32(put_little32(to, words[0]), words[1]);
        case 'S':
        case 'C':
            return put_little16(to, *(const uint16_t *)from);
        default:
            *to = *(const uint8_t *)from;
            return to + 1;
    }
}

/* Returns log2 of the bytes of the shortest encoding of a primitive type. */
static inline uint32_t least_shift(uint8_t type) {
    return type == 'D' ? 3 : type == 'F' ? 2 : type == 'S' || type == 'C' ? 1 : 0;
}

/* The reading counterparts. They return the address behind the number, or NULL if the input ends before. */
static inline const uint8_t *get_varint(const uint8_t *from, const uint8_t *end, uint32_t *value) {
    uint32_t result = 0;

    if (__builtin_expect(from < end && *from < 0x80, 1)) {
        *value = *from;
        return from + 1;
    }
    for (uint32_t shift = 0; from < end; shift += 7) {
        uint32_t byte = *from++;

        result |= (byte & 0x7f) << shift;
        if (byte < 0x80 || shift == 28) {
            *value = result;
            return from;
        }
    }
    return (const uint8_t *)0;
}

static inline const uint8_t *get_varint_flag(const uint8_t *from, const uint8_t *end, bool *flag, uint32_t *value) {
    uint32_t more = 0;

    if (from == end) return (const uint8_t *)0;
    uint32_t first = *from++;

    *flag = first & 0x80;
    if (first & 0x40 && !(from = get_varint(from, end, &more))) return (const uint8_t *)0;
    *value = (first & 0x3f) | more << 6;
    return from;
}

static inline const uint8_t *get_varlong_positive(const uint8_t *from, const uint8_t *end, uint32_t *words) {
    uint32_t low = 0, high = 0;

    for (uint32_t shift = 0; from < end; shift += 7) {
        uint32_t byte = *from++, bits = shift == 56 ? byte : byte & 0x7f;

        if (shift < 32) low |= bits << shift;
        if (shift > 24) high |= shift < 32 ? bits >> (32 - shift) : bits << (shift - 32);
        if (byte < 0x80 || shift == 56) {
            words[0] = low;
            words[1] = high;
            return from;
        }
    }
    return (const uint8_t *)0;
}

static inline const uint8_t *get_varlong(const uint8_t *from, const uint8_t *end, uint32_t *words) {
    if (!(from = get_varlong_positive(from, end, words))) return from;
    uint32_t low = words[0], high = words[1], sign = -(low & 1);

    words[0] = (low >> 1 | high << 31) ^ sign;
    words[1] = high >> 1 ^ sign;
    return from;
}

static inline uint32_t little32(const uint8_t *from) {
    return from[0] | (uint32_t)from[1] << 8 | (uint32_t)from[2] << 16 | (uint32_t)from[3] << 24;
}

static inline const uint8_t *get_primitive(const uint8_t *from, const uint8_t *end, void *to, uint8_t type) {
    uint32_t *words = to;

    if (type == 'I') {
        if ((from = get_varint(from, end, words))) *words = unzigzag(*words);
        return from;
    }
    if (type == 'J') return get_varlong(from, end, words);
    if (type == POSITIVE_LONG) return get_varlong_positive(from, end, words);
    if ((uint32_t)(end - from) < 1u << least_shift(type)) return (const uint8_t *)0;
    switch (type) {
        case 'D':
            words[1] = little32(from + 4);
            words[0] = little32(from);
            return from + 8;
        case 'F':
            words[0] = little32(from);
            return from + 4;
        case 'S':
        case 'C':
            *(uint16_t *)to = (uint16_t)(from[0] | from[1] << 8);
            return from + 2;
        case 'Z':
            *(uint8_t *)to = *from == 1; /* any other byte is false */
            return from + 1;
        default:
            *(uint8_t *)to = *from;
            return from + 1;
    }
}

#endif
