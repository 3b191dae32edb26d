/* Writes an object of every class of the tables for a heap of the format file: formats NAME. The stream goes to
 * standard output. Exit code 4: the file has no such heap. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "classes.h"
#include "generated/mem.h"
#include "heaps.h"
#include "memory.h"
#include "medium.h"
#include "runtime/heap/heap.h"
#include "skyway/skyway.h"

#define LENGTH 7 /* of arrays */

static uint32_t numbers = 1;

/* Of each class that a stream can have, in the order of the tables. */
static const struct hw_class *classes[256];
static hw_handle all;
static uint32_t count;

static hw_handle make(const struct hw_class *class) {
    const struct hw_klass *klass = hw_class_klass(class);

    return klass->object_size ? hw_new(klass) : hw_new_array(klass, LENGTH);
}

/* Returns another object with each call, and sometimes none. */
static hw_handle some(void) {
    uint32_t number = numbers++;

    return number % 5 == 0 ? NULL : hw_get_element(all, number * 7 % count);
}

/* Fills a value with bytes that occur nowhere else nearby. */
static void fill_value(hw_handle object, uint32_t offset, uint32_t bytes) {
    uint8_t *at = (uint8_t *)hw_handle_object(object) + offset;

    for (uint32_t i = 0; i < bytes; i++) at[i] = (uint8_t)(numbers++ * 37 + 1);
}

static uint32_t bytes_of(char descriptor) {
    switch (descriptor) {
        case 'J':
        case 'D':
            return 8;
        case 'I':
        case 'F':
            return 4;
        case 'S':
        case 'C':
            return 2;
        default:
            return 1;
    }
}

static void fill(hw_handle object, const struct hw_class *class) {
    const struct hw_klass *klass = hw_class_klass(class);

    if (klass->kind == HW_KLASS_KIND_OBJECT_ARRAY)
        for (uint32_t i = 0; i < LENGTH; i++) hw_set_element(object, i, some());
    else if (klass->kind == HW_KLASS_KIND_PRIMITIVE_ARRAY)
        fill_value(object, hw_klass_elements(klass), LENGTH << klass->element_shift);
    for (; klass->object_size && class; class = class->super)
        for (uint32_t i = 0; i < class->field_count; i++) {
            const struct hw_class_field *field = &class->fields[i];

            if (strchr("L[", field->descriptor[0]))
                hw_set(object, field->offset, some());
            else
                fill_value(object, field->offset, bytes_of(field->descriptor[0]));
        }
}

static hw_handle build(void) {
    for (uint32_t i = 0; i < hw_class_count; i++) {
        const struct hw_klass *klass = hw_class_klass(&hw_classes[i]);

        if (klass->flags & HW_KLASS_FLAG_METADATA && !(hw_classes[i].flags & HW_JAVA_ABSTRACT) && count < 256)
            classes[count++] = &hw_classes[i];
    }
    all = hw_new_array(HW_CLASS_Object_array, count);
    for (uint32_t i = 0; i < count; i++) {
        hw_scope scope = hw_scope_open();

        hw_set_element(all, i, make(classes[i]));
        hw_scope_close(scope);
    }
    for (uint32_t i = 0; i < count; i++) {
        hw_scope scope = hw_scope_open();
        hw_handle object = hw_get_element(all, i);

        if (i % 3 == 0) hw_identity_hash(object);
        fill(object, classes[i]);
        hw_scope_close(scope);
    }
    return all;
}

int main(int argc, char **argv) {
    static _Alignas(8) uint8_t work[1 << 16];
    struct hw_heap_options options = {
        .base = MAIN_RAM_BASE + 4096u, .bytes = 4u << 20, .large_bytes = 1u << 20, .eden_bytes = 256u << 10};
    const struct hw_skyway_format *format =
        argc == 2 ? hw_skyway_heap(hw_skyway_heaps, HW_SKYWAY_HEAPS, argv[1]) : NULL;
    struct hw_skyway_output output;
    struct test_sink sink;

    if (!format) return 4;
    memory_map();
    if (!hw_heap_init(&options)) return 2;
    hw_classes_init();
    hw_skyway_drive(1, &hw_skyway_java_loader);
    if (hw_skyway_load_java_classes() != HW_STATUS_OK || hw_skyway_shuffle_start() != HW_STATUS_OK) return 2;
    test_sink_open(&sink, 256, 0);
    hw_skyway_output_open(&output, &sink.sink, work, sizeof work, HW_SKYWAY_LAYOUT_METADATA);
    if (!hw_skyway_output_for(&output, format) || !hw_skyway_write(&output, build()) ||
        !hw_skyway_output_close(&output)) {
        fprintf(stderr, "status %#x at %#x\n", output.status, output.at);
        return 3;
    }
    bool written = fwrite(sink.kept, 1, sink.size, stdout) == sink.size;

    test_sink_close(&sink);
    return written ? 0 : 2;
}
