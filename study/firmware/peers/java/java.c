#include "peers/java/java.h"

#include <string.h>

#include "peers/java/protocol.h"
#include "runtime/java/serial.h"

static void *carve(uint8_t **at, uint8_t *end, uint32_t bytes) {
    uint8_t *taken = *at;

    bytes = (bytes + 7) & ~7u;
    if ((uint32_t)(end - taken) < bytes) return NULL;
    *at += bytes;
    memset(taken, 0, bytes);
    return taken;
}

/* Hashes the class descriptors by what differs between them, so that a name is mostly compared once, with the right
 * one. */
static void hash_classes(struct hw_java *codec) {
    for (uint32_t class = 0; class < hw_class_count; class ++) {
        const struct hw_serial_class *serial = &hw_serial_classes[class];

        if (!serial->descriptor) continue;
        uint32_t i = class_hash(serial->descriptor, serial->name_bytes);

        while (codec->by_name[i & codec->by_name_mask]) i++;
        codec->by_name[i & codec->by_name_mask] = (uint16_t)(class + 1);
    }
}

bool hw_java_open(struct hw_java *codec, void *workspace, uint32_t bytes) {
    uint8_t *at = workspace, *end = at + bytes;
    uint32_t slots = 4;

    while (slots < 2 * hw_class_count) slots *= 2;
    *codec = (struct hw_java){.by_name_mask = slots - 1};
    codec->class_numbers = carve(&at, end, hw_class_count * 4);
    codec->type_numbers = carve(&at, end, hw_serial_type_count * 4);
    codec->by_name = carve(&at, end, slots * 2);
    if (!codec->class_numbers || !codec->type_numbers || !codec->by_name) return false;
    hash_classes(codec);
    codec->frame_bytes = (uint32_t)(end - at) / 4 & ~7u;
    codec->frames = at;
    at += codec->frame_bytes;
    codec->objects.base = (hw_ref *)(void *)at;
    codec->object_limit = (uint32_t)(end - at) / 6 / sizeof(hw_ref) & ~1u;
    at += codec->object_limit * sizeof(hw_ref);
    return identity_init(&codec->identity, at, (uint32_t)(end - at));
}
