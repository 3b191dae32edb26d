#include "peers/kryo/kryo.h"

bool hw_kryo_open(struct hw_kryo *codec, void *workspace, uint32_t bytes) {
    uint8_t *at = workspace, *end = at + bytes;
    uint32_t eighth = bytes / 8 & ~7u;

    *codec = (struct hw_kryo){.frames = at, .frame_bytes = 3 * eighth};
    at += codec->frame_bytes;
    codec->objects.base = (hw_ref *)(void *)at;
    codec->object_limit = eighth / sizeof(hw_ref);
    /* A map's frame holds two references. The room for them is a fraction of that for frames. */
    at += eighth;
    codec->held.base = (hw_ref *)(void *)at;
    codec->held_limit = eighth / 8 / sizeof(hw_ref) & ~1u;
    at += codec->held_limit * sizeof(hw_ref);
    return identity_init(&codec->identity, at, (uint32_t)(end - at));
}
