#include "programs/skyway/jsbs.h"

#include <stdio.h>

#include "classes.h"
#include "programs/skyway/media.h"
#include "runtime/heap/heap.h"

/* Returns the number of an object: no two of a program have the same. */
static uint32_t number_of(const struct shuffle *shuffle, uint32_t worker, uint32_t index) {
    return (shuffle->phase * shuffle->workers + worker) * shuffle->scale + index;
}

static bool begin(struct shuffle *shuffle) {
    hw_handle objects = hw_new_array(HW_CLASS_Object_array, shuffle->scale);

    shuffle->broadcast = true;
    return objects && (shuffle->data = hw_global_new(objects));
}

/* Makes the round's objects, then writes each as a root. */
static bool send(struct shuffle *shuffle, uint32_t peer, struct hw_object_output *stream) {
    hw_scope scope = hw_scope_open();

    (void)peer;
    for (uint32_t i = 0; i < shuffle->scale; i++) {
        hw_handle content = media_new(number_of(shuffle, shuffle->worker, i));

        if (!content) return false;
        hw_set_element(shuffle->data, i, content);
        hw_scope_close(scope);
    }
    for (uint32_t i = 0; i < shuffle->scale; i++) {
        if (!hw_objects_write(stream, hw_get_element(shuffle->data, i))) return false;
        hw_scope_close(scope);
    }
    return true;
}

static bool receive(struct shuffle *shuffle, uint32_t peer, struct hw_object_input *stream) {
    hw_scope scope = hw_scope_open();

    for (uint32_t i = 0; i < shuffle->scale; i++) {
        hw_handle content;
        uint32_t digest;
        char key[24];

        if (!hw_objects_read(stream, &content) || !media_digest(content, &digest)) return false;
        hw_scope_close(scope);
        snprintf(key, sizeof key, "%lu %lu", (unsigned long)shuffle->worker,
                 (unsigned long)number_of(shuffle, peer, i));
        shuffle_emit(shuffle, key, digest);
    }
    return true;
}

static bool compute(struct shuffle *shuffle, bool *more) {
    *more = shuffle->phase + 1 < JSBS_ROUNDS;
    return true;
}

static bool finish(struct shuffle *shuffle) {
    (void)shuffle;
    return true;
}

const struct shuffle_program jsbs = {PROGRAM_JSBS, begin, send, receive, compute, finish};
