/* The constants of the stream (Java Object Serialization Specification, chapter 6), and big-endian numbers. */
#ifndef HW_PEERS_JAVA_PROTOCOL_H
#define HW_PEERS_JAVA_PROTOCOL_H

#include <stdint.h>

#define STREAM_HEADER 0xaced0005u
#define BASE_HANDLE 0x7e0000u

enum {
    TC_NULL = 0x70,
    TC_REFERENCE,
    TC_CLASSDESC,
    TC_OBJECT,
    TC_STRING,
    TC_ARRAY,
    TC_CLASS,
    TC_BLOCKDATA,
    TC_ENDBLOCKDATA,
    TC_RESET,
    TC_BLOCKDATALONG,
    TC_EXCEPTION,
    TC_LONGSTRING,
    TC_PROXYCLASSDESC,
    TC_ENUM,
};

static inline uint8_t *put16(uint8_t *to, uint32_t value) {
    to[0] = (uint8_t)(value >> 8);
    to[1] = (uint8_t)value;
    return to + 2;
}

static inline uint8_t *put32(uint8_t *to, uint32_t value) {
    to[0] = (uint8_t)(value >> 24);
    to[1] = (uint8_t)(value >> 16);
    to[2] = (uint8_t)(value >> 8);
    to[3] = (uint8_t)value;
    return to + 4;
}

static inline uint32_t get16(const uint8_t *from) { return (uint32_t)from[0] << 8 | from[1]; }

static inline uint32_t get32(const uint8_t *from) {
    return (uint32_t)from[0] << 24 | (uint32_t)from[1] << 16 | (uint32_t)from[2] << 8 | from[3];
}

/* Copy a primitive value of 1, 2, 4 or 8 bytes to or from an aligned address. Return the next address in the stream. */
static inline uint8_t *put_value(uint8_t *to, const void *from, uint32_t bytes) {
    const uint32_t *words = from;

    switch (bytes) {
        case 1:
            *to = *(const uint8_t *)from;
            return to + 1;
        case 2:
            return put16(to, *(const uint16_t *)from);
        case 4:
            return put32(to, words[0]);
        default:
            return put32(put32(to, words[1]), words[0]);
    }
}

static inline const uint8_t *get_value(void *to, const uint8_t *from, uint32_t bytes) {
    uint32_t *words = to;

    switch (bytes) {
        case 1:
            *(uint8_t *)to = *from;
            break;
        case 2:
            *(uint16_t *)to = (uint16_t)get16(from);
            break;
        case 4:
            words[0] = get32(from);
            break;
        default:
            words[1] = get32(from);
            words[0] = get32(from + 4);
    }
    return from + bytes;
}

#define DESCRIPTOR_NAME 3u /* offset of the name, behind TC_CLASSDESC and a length */
#define UID_BYTES 8u

/* Returns the hash of a class descriptor in the stream, over what differs between classes: the end of the name and the
 * serialVersionUID behind it. `descriptor` contains the name, of `name_bytes` bytes, and the UID. */
static inline uint32_t class_hash(const uint8_t *descriptor, uint32_t name_bytes) {
    const uint8_t *uid = descriptor + DESCRIPTOR_NAME + name_bytes;
    uint32_t hash = (get32(uid - 4) ^ get32(uid + 4) * 31) + name_bytes;

    return hash * 0x9e3779b1u >> 16;
}

#endif
