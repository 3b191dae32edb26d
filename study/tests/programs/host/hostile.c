/* One of two workers is sent streams that are well-formed, but hold other objects than its program expects.
 *
 *   hostile PROGRAM SERIALIZER
 *
 * Both workers run in this process. In each phase the stream from worker 0 to worker 1 is read, one reference in it is
 * changed, and it is written again. Worker 1 must refuse it, and its heap must stay sound. Prints the number of changed
 * streams, and what is left of them in the heap.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "classes.h"
#include "machine.h"
#include "programs/serializers/serializers.h"
#include "programs/shuffle/shuffle.h"
#include "runtime/heap/heap.h"
#include "runtime/heap/walk.h"

#define STREAM (1u << 19)
#define SCALE 40u
#define ROOTS 4u

static const struct shuffle_program *program;
static const struct serializer *serializer;
static struct shuffle workers[2];
static uint8_t *streams[2];
static struct shuffle_bytes changed;
static uint32_t before;  /* changes to leave out before the one that is made */
static const char *what; /* the change that was made; NULL: none yet */

static bool make(const char *change) {
    if (what || before-- != 0) return false;
    what = change;
    return true;
}

static void change_string(hw_handle string) {
    if (make("a String without a value")) hw_set(string, HW_CLASS_String_value, NULL);
    if (make("a String whose value is no byte[]")) hw_set(string, HW_CLASS_String_value, hw_new(HW_CLASS_Progress));
    if (make("a String of an unknown coder")) ((uint8_t *)hw_handle_object(string))[HW_CLASS_String_coder] = 32;
}

static void change_fields(hw_handle object) {
    const struct hw_klass *klass = hw_klass_of(hw_handle_object(object));
    const struct hw_class *class = hw_class_of(klass);

    if (klass == HW_CLASS_String) {
        change_string(object);
        return;
    }
    for (uint32_t i = 0; i < class->field_count && klass->kind == HW_KLASS_KIND_INSTANCE; i++) {
        const struct hw_class_field *field = &class->fields[i];

        if (!strchr("L[", field->descriptor[0])) continue;
        if (make("a field of null")) hw_set(object, field->offset, NULL);
        if (make("a field of another class")) hw_set(object, field->offset, hw_new(HW_CLASS_Progress));
        if (!what) change_fields(hw_get(object, field->offset));
    }
}

/* Makes one change in a root, or returns the other root that takes its place. */
static hw_handle change_root(hw_handle root) {
    const struct hw_klass *klass = hw_klass_of(hw_handle_object(root));

    /* Cereal writes no null. */
    if (!serializer->cereal && make("a root of null")) return NULL;
    if (make("a root of another class")) return hw_new_array(HW_CLASS_int_array, 3);
    if (klass->kind != HW_KLASS_KIND_OBJECT_ARRAY || hw_array_length(root->reference) == 0) return root;
    if (make("an element of null")) hw_set_element(root, 0, NULL);
    if (make("an element of another class")) hw_set_element(root, 0, hw_new(HW_CLASS_Progress));
    if (!what) change_fields(hw_get_element(root, 0));
    return root;
}

/* Returns false if there are no more changes to make in this stream. */
static bool change_stream(const struct shuffle_bytes *stream) {
    hw_scope scope = hw_scope_open();
    struct hw_object_input *input = serializer->input(serializer, stream->data, stream->bytes);
    hw_handle roots[ROOTS];
    uint32_t count = 0;

    what = NULL;
    while (count < ROOTS && hw_objects_read(input, &roots[count])) {
        roots[count] = what || !roots[count] ? roots[count] : change_root(roots[count]);
        count++;
    }
    hw_error_clear();
    changed.bytes = 0;
    for (uint32_t i = 0; i < count;) {
        uint8_t *at = changed.data + changed.bytes;
        struct hw_object_output *output = serializer->output(serializer, at, changed.capacity - changed.bytes);

        /* Skyway's stream gets a buffer for each root. */
        do
            if (!hw_objects_write(output, roots[i])) exit(2);
        while (++i < count && !serializer->release);
        if (!hw_objects_close(output)) exit(2);
        changed.bytes += serializer->written();
    }
    if (serializer->release) serializer->release();
    hw_scope_close(scope);
    return what != NULL;
}

static void move(const struct shuffle_bytes *from, struct shuffle_bytes *to) {
    memcpy(to->data, from->data, from->bytes);
    to->bytes = from->bytes;
}

static void require(bool condition, const char *text, uint32_t phase) {
    struct hw_walk walk;

    if (condition && hw_heap_walk(&walk)) return;
    printf("phase %u, %s: %s\n", (unsigned)phase, what, condition ? walk.fault : text);
    exit(3);
}

/* Runs both workers to a phase, and changes its stream. Returns false if there is no such phase or change. */
static bool attack(uint32_t phase, bool *ended) {
    for (uint32_t i = 0; i < 2; i++) {
        shuffle_open(&workers[i], program, serializer, i, 2, SCALE);
        shuffle_streams(&workers[i], streams[i], STREAM);
    }
    for (uint32_t now = 0;; now++) {
        for (uint32_t i = 0; i < 2; i++) {
            enum shuffle_state state = shuffle_send(&workers[i]);

            *ended = state == SHUFFLE_DONE;
            if (*ended) return false;
            if (state != SHUFFLE_RUNNING) exit(2);
        }
        move(&workers[1].out[0], &workers[0].in[1]);
        move(&workers[0].out[1], &workers[1].in[0]);
        if (now == phase && !change_stream(&workers[1].in[0])) return false;
        if (now == phase) move(&changed, &workers[1].in[0]);
        if (now == phase) break;
        shuffle_receive(&workers[0]);
        shuffle_receive(&workers[1]);
    }
    require(shuffle_receive(&workers[1]) == SHUFFLE_FAILED, "it was accepted", phase);
    hw_error_clear();
    hw_collect(true);
    require(true, "", phase);
    return true;
}

int main(int count, char **arguments) {
    uint32_t changes = 0;
    bool ended = false;

    program = count == 3 ? shuffle_program(arguments[1]) : NULL;
    serializer = count == 3 ? serializer_of(arguments[2]) : NULL;
    if (!program || !serializer || !machine_begin(false)) return 2;
    changed = (struct shuffle_bytes){.data = machine_memory(STREAM), .capacity = STREAM};
    for (uint32_t i = 0; i < 2; i++) streams[i] = machine_memory(2 * 2 * STREAM);
    hw_collect(true);
    uint32_t used = hw_heap_used();

    for (uint32_t phase = 0; !ended; phase++) {
        for (uint32_t change = 0;; change++) {
            hw_scope scope = hw_scope_open();

            before = change;
            bool made = attack(phase, &ended);
            for (uint32_t i = 0; i < 2; i++) shuffle_close(&workers[i]);
            hw_scope_close(scope);
            if (!made) break;
            changes++;
        }
    }
    hw_collect(true);
    printf("%u\n", (unsigned)changes);
    printf("%u bytes of the heap are lost\n", (unsigned)(hw_heap_used() - used));
    return 0;
}
