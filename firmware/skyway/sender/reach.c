#include "skyway/phase.h"
#include "skyway/sender/sender.h"

/* Returns whether the owner word still counts: it belongs to another serialization, or to another open stream of this
 * phase. */
static bool in_use(const struct hw_skyway_output *stream, uint32_t owner) {
    if (owner < stream->oldest || !hw_epoch_counts(owner)) return false;
    return owner >> HW_EPOCH_SHIFT != stream->owner >> HW_EPOCH_SHIFT || skyway_stream_is_open(owner & UINT16_MAX);
}

/* Claims the object and stores its address behind the owner word, atomically against other threads. Returns false if
 * another owner has it. */
static bool claim(const struct hw_skyway_output *stream, uint32_t *word, uint32_t relative) {
    uint32_t found = *(volatile uint32_t *)word;

    do
        if (in_use(stream, found)) return false;
    while (!hw_epoch_swap(word, &found, stream->owner, relative));
    return true;
}

/* Returns the klass of an object of the heap that can be sent; NULL, with the error, if it cannot. */
static const struct hw_klass *sound(struct hw_skyway_output *stream, hw_ref object) {
    if (object % HW_OBJECT_ALIGNMENT != 0 || object - stream->bound > stream->span - 2 * HW_OBJECT_HEADER_SIZE) {
        skyway_refuse(stream, HW_STATUS_BAD_OBJECT, object);
        return NULL;
    }
    const struct hw_klass *klass = hw_klass_of(hw_pointer(object));

    if (!(klass->flags & HW_KLASS_FLAG_METADATA) || klass->kind > HW_KLASS_KIND_OBJECT_ARRAY) {
        skyway_refuse(stream, HW_STATUS_UNREGISTERED_CLASS, object);
        return NULL;
    }
    uint32_t room = stream->span - (object - stream->bound);

    if (klass->object_size
            ? klass->object_size > room
            : room < HW_OBJECT_METADATA_ARRAY_ELEMENTS ||
                  hw_array_length(object) > (room - HW_OBJECT_METADATA_ARRAY_ELEMENTS) >> klass->element_shift) {
        skyway_refuse(stream, HW_STATUS_BAD_OBJECT, object);
        return NULL;
    }
    return klass;
}

uint32_t skyway_clone_bytes(const struct hw_skyway_output *stream, const struct hw_klass *klass, uint32_t length) {
    if (!stream->adjusts) return hw_klass_bytes(klass, length);
    if (stream->format) return skyway_adjusted_bytes(stream, klass, length);
    uint32_t bytes = klass->object_size ? klass->object_size - (HW_OBJECT_METADATA_INSTANCE + HW_OBJECT_METADATA_SIZE) +
                                              stream->layout.fields
                                        : stream->layout.elements + (length << klass->element_shift);

    return (bytes + stream->layout.alignment - 1) & ~(stream->layout.alignment - 1u);
}

/* Reaches an object whose owner word is not this stream's. */
static uint32_t reach_new(struct hw_skyway_output *stream, hw_ref object, const struct hw_klass *klass,
                          uint32_t *word) {
    uint32_t relative = stream->free, bytes = skyway_clone_bytes(stream, klass, skyway_length(klass, object));
    uint32_t *known = skyway_shared_find(&stream->shared, object);

    if (known) return *known;
    /* The objects that a unit has numbered must come first, unless somebody has changed the graph. */
    if (stream->again) return skyway_refuse(stream, HW_STATUS_BAD_OBJECT, object), SKYWAY_NOWHERE;
    if (bytes > SKYWAY_LIMIT - relative) return skyway_refuse(stream, HW_STATUS_OUTPUT_FULL, object), SKYWAY_NOWHERE;
    if (!claim(stream, word, relative) && !skyway_shared_add(&stream->shared, object, relative))
        return skyway_refuse(stream, HW_STATUS_WORK_FULL, object), SKYWAY_NOWHERE;
    skyway_roots_set(&stream->shared_roots, stream->shared.count);
    skyway_enqueue(stream, object, relative);
    stream->free = relative + bytes;
    return relative;
}

/* An object that a unit has numbered is queued when software reaches it; both reach objects in the same order. Once the
 * queue has no more room, the rest is found by owner words (queue.c). */
static void reach_again(struct hw_skyway_output *stream, hw_ref object, const struct hw_klass *klass) {
    skyway_enqueue(stream, object, stream->again);
    stream->again += skyway_clone_bytes(stream, klass, skyway_length(klass, object));
    if (stream->again == stream->free || stream->queue.beyond) stream->again = 0;
}

uint32_t skyway_reach(struct hw_skyway_output *stream, hw_ref object) {
    const struct hw_klass *klass = sound(stream, object);

    if (__builtin_expect(!klass, 0)) return SKYWAY_NOWHERE;
    uint32_t *word = skyway_metadata(object, klass);

    if (*word != stream->owner) return reach_new(stream, object, klass, word);
    uint32_t relative = word[1];

    if (__builtin_expect(relative == stream->again, 0)) reach_again(stream, object, klass);
    return relative;
}
