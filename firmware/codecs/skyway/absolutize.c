#include "codecs/skyway/receiver.h"
#include "codecs/skyway/registry.h"
#include "codecs/skyway/update.h"
#include "runtime/heap/input.h"
#include "runtime/heap/object.h"

/* What the pass needs at every object, apart from the stream. */
struct pass {
    struct hw_skyway_input *stream;
    hw_ref run;         /* of the only chunk, ... */
    uint32_t single;    /* ... whose bytes these are; 0: there are several */
    bool metadata;
    struct hw_klass *klass; /* of the last object, and its id */
    uint32_t id;
};

/* The chunk that a relative address falls into, SKYWAY_FIRST and up: chunks before it need not be full. */
static hw_ref among_chunks(struct hw_skyway_input *stream, uint32_t relative)
{
    uint32_t low = 0, high = stream->chunk_count;
    const struct skyway_chunk *chunk = &stream->chunks[stream->last_hit];

    if (relative - chunk->base >= chunk->bytes) {
        while (high - low > 1) {
            uint32_t middle = (low + high) / 2;

            if (relative < stream->chunks[middle].base)
                high = middle;
            else
                low = middle;
        }
        stream->last_hit = low;
        chunk = &stream->chunks[low];
    }
    return chunk->run + (relative - chunk->base);
}

/* Replaces a relative address. Whether an object begins there is seen at the end. */
static inline bool absolutize(struct pass *pass, hw_ref *slot)
{
    uint32_t relative = *slot, offset = relative - SKYWAY_FIRST;

    if (relative == 0)
        return true;
    if (relative % HW_OBJECT_ALIGNMENT != 0)
        return false;
    if (__builtin_expect(offset < pass->single, 1))
        *slot = pass->run + offset;
    else if (offset >= pass->stream->free - SKYWAY_FIRST)
        return false;
    else
        *slot = among_chunks(pass->stream, relative);
    hw_input_refer(*slot);
    return true;
}

static inline bool absolutize_bits(struct pass *pass, hw_ref *slot, uint32_t bits)
{
    for (; bits; bits >>= 1, slot++)
        if (bits & 1 && !absolutize(pass, slot))
            return false;
    return true;
}

static bool absolutize_references(struct pass *pass, hw_ref object, const struct hw_klass *klass)
{
    hw_ref *slots = hw_pointer(object + HW_OBJECT_HEADER_SIZE);

    if (klass->kind == HW_KLASS_KIND_PRIMITIVE_ARRAY)
        return true;
    if (klass->kind == HW_KLASS_KIND_OBJECT_ARRAY) {
        hw_ref *element = hw_pointer(object + hw_klass_elements(klass));

        for (uint32_t left = hw_array_length(object); left; left--)
            if (!absolutize(pass, element++))
                return false;
        return true;
    }
    if (!(klass->reference_bitmap & HW_KLASS_LONG_BITMAP))
        return absolutize_bits(pass, slots, klass->reference_bitmap);
    const uint32_t *words = hw_pointer(klass->reference_bitmap << 1);

    for (uint32_t i = 0; i < words[0]; i++)
        if (!absolutize_bits(pass, slots + 32 * i, words[1 + i]))
            return false;
    return true;
}

/* What lies between the header, the length and the body must be 0: a receiver's marks stand there. */
static bool blank(const struct pass *pass, const uint32_t *word, const struct hw_klass *klass)
{
    if (klass->object_size)
        return !pass->metadata || (word[2] | word[3]) == 0;
    return pass->metadata ? (word[3] | word[4] | word[5]) == 0 : word[3] == 0;
}

/* Bytes of the object, 0: it is none, or does not fit into what is left. Its class word is the klass afterwards. */
static uint32_t check_object(struct pass *pass, hw_ref object, uint32_t left, int *status)
{
    uint32_t *word = hw_pointer(object);
    uint32_t least = pass->metadata ? HW_OBJECT_HEADER_SIZE + HW_OBJECT_METADATA_SIZE : HW_OBJECT_HEADER_SIZE;

    *status = HW_STATUS_BAD_VALUE;
    if (left < least || (word[0] & SKYWAY_MARK_MASK) != HW_OBJECT_MARK_UNLOCKED)
        return 0;
    if (word[1] != pass->id || !pass->klass) {
        pass->klass = skyway_registry_resolve(word[1], status);
        pass->id = pass->klass ? word[1] : 0;
        if (!pass->klass)
            return 0;
        *status = HW_STATUS_BAD_VALUE;
        if (!(pass->klass->flags & HW_KLASS_FLAG_METADATA) == pass->metadata) {
            *status = HW_SKYWAY_OTHER_LAYOUT;
            return 0;
        }
        pass->stream->updates |= skyway_is_updated(pass->klass);
    }
    const struct hw_klass *klass = pass->klass;
    uint32_t bytes = klass->object_size;

    if (bytes == 0) {
        uint32_t elements = hw_klass_elements(klass);

        if (left < elements || word[2] > (left - elements) >> klass->element_shift)
            return 0;
        bytes = hw_klass_bytes(klass, word[2]);
    }
    if (bytes > left || !blank(pass, word, klass))
        return 0;
    word[1] = hw_reference(klass);
    return bytes;
}

static bool absolutize_chunk(struct pass *pass, const struct skyway_chunk *chunk)
{
    hw_ref limit = chunk->run + chunk->bytes;
    int status;

    for (hw_ref object = chunk->run, next; object < limit; object = next) {
        uint32_t bytes = check_object(pass, object, limit - object, &status), at = chunk->base + (object - chunk->run);

        if (bytes == 0)
            return skyway_reject(pass->stream, status, at);
        next = object + bytes;
        hw_input_object(object, bytes);
        if (!absolutize_references(pass, object, pass->klass))
            return skyway_reject(pass->stream, HW_STATUS_BAD_REFERENCE, at);
    }
    return true;
}

static bool absolutize_tops(struct pass *pass)
{
    for (uint32_t i = 0; i < pass->stream->top_count; i++)
        if (!absolutize(pass, &pass->stream->tops[-1 - (int32_t)i]))
            return skyway_reject(pass->stream, HW_STATUS_BAD_REFERENCE, 0);
    return true;
}

bool skyway_absolutize(struct hw_skyway_input *stream)
{
    struct pass pass = {.stream = stream, .metadata = stream->layout.fields != HW_OBJECT_HEADER_SIZE};
    bool good = true;

    if (stream->chunk_count == 1) {
        pass.run = stream->chunks[0].run;
        pass.single = stream->chunks[0].bytes;
    }
    stream->last_hit = 0;
    for (uint32_t i = 0; i < stream->chunk_count; i++)
        hw_input_begin(stream->chunks[i].run, stream->chunks[i].run + stream->chunks[i].bytes);
    for (uint32_t i = 0; i < stream->chunk_count && good; i++)
        good = absolutize_chunk(&pass, &stream->chunks[i]);
    good = good && absolutize_tops(&pass);
    for (uint32_t i = 0; i < stream->chunk_count; i++) {
        const struct skyway_chunk *chunk = &stream->chunks[i];
        hw_ref stray = hw_input_stray(chunk->run, chunk->run + chunk->bytes);

        if (stray && good)
            good = skyway_reject(stream, HW_STATUS_BAD_REFERENCE, chunk->base + (stray - chunk->run));
    }
    return good;
}
