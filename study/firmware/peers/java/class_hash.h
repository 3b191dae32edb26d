/* The hash of a class descriptor in the stream, over what differs between classes: the end of the name and the
 * serialVersionUID behind it. */
#ifndef HW_PEERS_JAVA_CLASS_HASH_H
#define HW_PEERS_JAVA_CLASS_HASH_H

#include "peers/java/protocol.h"

#define DESCRIPTOR_NAME 3u /* offset of the name, behind TC_CLASSDESC and a length */
#define UID_BYTES 8u

/* Returns the hash. `descriptor` contains the name, of `name_bytes` bytes, and the UID. */
static inline uint32_t class_hash(const uint8_t *descriptor, uint32_t name_bytes) {
    const uint8_t *uid = descriptor + DESCRIPTOR_NAME + name_bytes;
    uint32_t hash = (get32(uid - 4) ^ get32(uid + 4) * 31) + name_bytes;

    return hash * 0x9e3779b1u >> 16;
}

#endif
