/* One program with two serializers: only the construction of the streams differs. */
#include "cases.h"
#include "skyway/object_stream.h"
#include "cereal/cereal.h"

enum { LISTS = 5 };

static _Alignas(64) uint8_t work[1 << 20], other_work[1 << 16];

/* The program that all of them share. */
static void shuffle(struct hw_object_output *stream) {
    for (uint32_t i = 1; i <= LISTS; i++) {
        hw_scope scope = hw_scope_open();

        EXPECT(hw_objects_write(stream, list(10 * i)));
        hw_scope_close(scope);
    }
    EXPECT(hw_objects_close(stream));
}

static void gather(struct hw_object_input *stream) {
    hw_handle root;

    for (uint32_t i = 1; i <= LISTS; i++) {
        EXPECT(hw_objects_read(stream, &root) && length_of(root) == 10 * i);
        hw_collect(i == 3);
        EXPECT(length_of(root) == 10 * i);
    }
    EXPECT(!hw_objects_read(stream, &root));
}

CASE(switching) {
    begin(false);
    {
        struct hw_cereal context;
        struct hw_cereal_output to;
        struct hw_cereal_input from;
        struct hw_cereal_object_output out;
        struct hw_cereal_object_input in;

        hw_cereal_initialize(false);
        EXPECT(hw_cereal_register_class(HW_CLASS_ListNode) == 0);
        hw_cereal_open(&context, work, sizeof work);
        hw_cereal_output_open(&to, memory, CASES_MEMORY);
        shuffle(hw_cereal_object_output(&out, &context, &to));
        hw_cereal_input_open(&from, memory, (uint32_t)(to.at - memory));
        gather(hw_cereal_object_input(&in, &context, &from));
    }
    {
        struct hw_skyway_object_output out;
        struct hw_skyway_object_input in;

        hw_skyway_memory_sink(&sink, memory, CASES_MEMORY);
        shuffle(hw_skyway_object_output(&out, &sink.sink, work, sizeof work, HW_SKYWAY_LAYOUT_METADATA));
        hw_skyway_memory_source(&source, memory, (uint32_t)(sink.sink.at - memory));
        gather(hw_skyway_object_input(&in, &source, other_work, sizeof other_work, HW_SKYWAY_LAYOUT_METADATA));
        EXPECT(in.input.status == HW_SKYWAY_END);
    }
    walk();
}
