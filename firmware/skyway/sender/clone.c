#include <string.h>

#include "skyway/sender/sender.h"
#include "runtime/heap/epoch.h"

/* Replaces a reference of the clone by a relative address. */
static inline bool relativize(struct hw_skyway_output *stream, uint32_t *slot) {
    if (*slot == 0) return true;
    uint32_t relative = skyway_reach(stream, *slot);

    *slot = relative;
    return relative != SKYWAY_NOWHERE;
}

static inline bool relativize_bits(struct hw_skyway_output *stream, uint32_t *slot, uint32_t bits) {
    for (; bits; bits >>= 1, slot++)
        if (bits & 1 && !relativize(stream, slot)) return false;
    return true;
}

static bool relativize_instance(struct hw_skyway_output *stream, uint32_t *slots, const struct hw_klass *klass) {
    if (!(klass->reference_bitmap & HW_KLASS_LONG_BITMAP))
        return relativize_bits(stream, slots, klass->reference_bitmap);
    const uint32_t *words = hw_pointer(klass->reference_bitmap << 1);

    for (uint32_t i = 0; i < words[0]; i++)
        if (!relativize_bits(stream, slots + 32 * i, words[1 + i])) return false;
    return true;
}

/* Copies the words first. The copy holds the object's own references until they are relativized. */
static inline bool clone(struct hw_skyway_output *stream, hw_ref object, const struct hw_klass *klass, uint32_t bytes,
                         uint32_t *to) {
    const uint32_t *from = hw_pointer(object);

    to[0] = skyway_clone_mark(object);
    to[1] = klass->type_id;
    if (klass->object_size) {
        to[2] = to[3] = 0;
        for (uint32_t word = 4; word < bytes / 4; word += 2) {
            to[word] = from[word];
            to[word + 1] = from[word + 1];
        }
        return relativize_instance(stream, to + HW_OBJECT_HEADER_SIZE / 4, klass);
    }
    uint32_t length = to[2] = from[2];

    to[3] = to[4] = to[5] = 0;
    if (klass->kind == HW_KLASS_KIND_OBJECT_ARRAY) {
        to[bytes / 4 - 1] = 0;
        for (uint32_t i = 0; i < length; i++) {
            to[6 + i] = from[6 + i];
            if (!relativize(stream, &to[6 + i])) return false;
        }
        return true;
    }
    to[bytes / 4 - 1] = to[bytes / 4 - 2] = 0;
    memcpy(to + 6, from + 6, length << klass->element_shift);
    return true;
}

bool skyway_clone(struct hw_skyway_output *stream, hw_ref object, const struct hw_klass *klass, uint32_t bytes,
                  uint32_t *to) {
    hw_claims_enter();
    bool good = clone(stream, object, klass, bytes, to);

    hw_claims_leave();
    return good;
}

/* Computes the word at `offset` of the clone, in the header, the body or the padding. */
static bool clone_word(struct hw_skyway_output *stream, hw_ref object, const struct hw_klass *klass, uint32_t offset,
                       uint32_t *to) {
    bool array = klass->object_size == 0;
    uint32_t body = array ? stream->layout.elements : stream->layout.fields, length = skyway_length(klass, object);
    uint32_t start = array ? HW_OBJECT_METADATA_ARRAY_ELEMENTS : HW_OBJECT_METADATA_INSTANCE + HW_OBJECT_METADATA_SIZE;
    uint32_t bytes = array ? length << klass->element_shift : klass->object_size - start;

    *to = 0;
    if (offset == HW_OBJECT_MARK)
        *to = skyway_clone_mark(object);
    else if (offset == HW_OBJECT_KLASS)
        *to = klass->type_id;
    else if (array && offset == HW_OBJECT_ARRAY_LENGTH)
        *to = length;
    if (offset < body || offset - body >= bytes) return true;
    uint32_t at = offset - body, left = bytes - at;

    memcpy(to, hw_pointer(object + start + at), left < 4 ? left : 4);
    if (array ? klass->kind == HW_KLASS_KIND_OBJECT_ARRAY : hw_klass_is_reference(klass, start + at))
        return relativize(stream, to);
    return true;
}

bool skyway_clone_part(struct hw_skyway_output *stream, hw_ref object, const struct hw_klass *klass, uint32_t from,
                       uint32_t limit, uint32_t *to) {
    bool good = true;

    hw_claims_enter();
    if (stream->format)
        good = skyway_adjust(stream, object, klass, from, limit, to);
    else
        for (uint32_t offset = from; offset < limit && good; offset += 4)
            good = clone_word(stream, object, klass, offset, to++);
    hw_claims_leave();
    return good;
}
