/* Streams for heaps of other formats, at the limits of a sender. test_formats.py and test_heaps.py have their bytes. */
#include <string.h>

#include "cases.h"
#include "skyway/object_stream.h"
#include "skyway/sender/sender.h"

static const struct hw_skyway_heap heaps[] = {
    {.name = "own", .format = {HW_SKYWAY_LAYOUT_METADATA, HW_SKYWAY_OWN_WORDS}},
    {.name = "hotspot",
     .format = {{.fields = 16, .elements = 24, .alignment = 8},
                {.reference_bytes = 8,
                 .mark_bytes = 8,
                 .class_bytes = 8,
                 .length = 16,
                 .hash_bit = 8,
                 .hash_bits = 31,
                 .unlocked = 1}}},
};

static const struct hw_skyway_format *hotspot(void) { return hw_skyway_heap(heaps, 2, "hotspot"); }

CASE(named_heaps) {
    struct hw_skyway_format bad = *hotspot();

    begin(false);
    EXPECT(hw_skyway_heap(heaps, 2, "own") == &heaps[0].format && !hw_skyway_heap(heaps, 2, "hot"));
    EXPECT(hw_skyway_output_for(&output, &heaps[0].format) && !output.adjusts && !output.format);
    EXPECT(hw_skyway_output_for(&output, hotspot()) && output.adjusts && output.format == hotspot());
    bad.words.length = 12; /* within the class word */
    EXPECT(!hw_skyway_output_for(&output, &bad) && output.status == HW_SKYWAY_BAD_FORMAT);
    EXPECT(!hw_skyway_write(&output, list(1)) && sink.sink.at == memory);
    hw_skyway_output_clear(&output);
    EXPECT(hw_skyway_write(&output, list(1)) && hw_skyway_output_close(&output));
}

/* What has room in this heap's format may not have it in the receiver's. */
CASE(too_large_there) {
    begin(false);
    hw_handle array = hw_new_array(HW_CLASS_Object_array, 10), numbers = hw_new_array(HW_CLASS_int_array, 10);

    for (int wide = 0; wide < 2; wide++) {
        begin_output(4096, CASES_MEMORY);
        if (wide) EXPECT(hw_skyway_output_for(&output, hotspot()));
        EXPECT(hw_skyway_write(&output, NULL));
        output.free = output.base = SKYWAY_LIMIT - 64; /* as if all that had been sent */
        EXPECT(hw_skyway_write(&output, array) == !wide);
        EXPECT(output.status == (wide ? HW_STATUS_OUTPUT_FULL : HW_STATUS_OK));
        if (wide) EXPECT(output.at == array->reference);
        hw_skyway_output_clear(&output);
        EXPECT(hw_skyway_output_close(&output));
    }
    begin_output(4096, CASES_MEMORY);
    EXPECT(hw_skyway_output_for(&output, hotspot()));
    /* Lengths whose bytes have more than 32 bits. */
    EXPECT(skyway_adjusted_bytes(&output, HW_CLASS_Object_array, (1u << 28) - 3) == 1u << 31);
    EXPECT(skyway_adjusted_bytes(&output, HW_CLASS_Object_array, 1u << 28) > SKYWAY_LIMIT);
    EXPECT(skyway_adjusted_bytes(&output, HW_CLASS_Object_array, 1u << 29) > SKYWAY_LIMIT);
    EXPECT(skyway_adjusted_bytes(&output, HW_CLASS_long_array, UINT32_MAX) > SKYWAY_LIMIT);
    EXPECT(hw_skyway_write(&output, numbers) && hw_skyway_output_close(&output));
}

static _Alignas(8) uint8_t work[1 << 14], other_memory[CASES_MEMORY];

/* Writes the root for HotSpot, with a work area of this size. Returns the bytes of the stream, without its header. */
static uint32_t written(hw_handle root, uint32_t bytes, uint8_t *to) {
    open_output(&output, &sink, to, CASES_MEMORY, work, bytes);
    EXPECT(hw_skyway_output_for(&output, hotspot()));
    EXPECT(hw_skyway_write(&output, root) && hw_skyway_output_close(&output));
    return (uint32_t)(sink.sink.at - to) - (uint32_t)sizeof(struct skyway_header);
}

/* Neither a queue that is too short nor the marks of another stream change what is sent. */
CASE(formats_by_tables) {
    static _Alignas(8) uint8_t held[CASES_MEMORY], held_work[4096];
    const uint32_t header = sizeof(struct skyway_header);
    struct hw_skyway_memory_sink held_sink;
    struct hw_skyway_output holder;

    begin(false);
    hw_handle array = hw_new_array(HW_CLASS_Object_array, 200);

    for (uint32_t i = 0; i < 200; i++) {
        hw_scope scope = hw_scope_open();

        hw_set_element(array, i, list(2));
        hw_scope_close(scope);
    }
    uint32_t bytes = written(array, sizeof work, memory);

    EXPECT(output.refills == 0);
    EXPECT(written(array, 64, other_memory) == bytes && output.refills > 20);
    EXPECT(memcmp(memory + header, other_memory + header, bytes) == 0);
    open_output(&holder, &held_sink, held, sizeof held, held_work, sizeof held_work);
    for (uint32_t i = 0; i < 10; i++) EXPECT(hw_skyway_write(&holder, hw_get_element(array, 19 * i)));
    EXPECT(written(array, sizeof work, other_memory) == bytes && output.shared.count == 20);
    EXPECT(memcmp(memory + header, other_memory + header, bytes) == 0);
    EXPECT(hw_skyway_output_close(&holder));
}

/* An object stream, whatever the serializer, can have such a receiver, too. */
CASE(formats_by_object_streams) {
    struct hw_skyway_object_output made;

    begin(false);
    struct hw_object_output *stream =
        hw_skyway_object_output(&made, &sink.sink, work, sizeof work, HW_SKYWAY_LAYOUT_METADATA);

    EXPECT(hw_skyway_output_for(&made.output, hotspot()));
    EXPECT(stream->write_object(stream, list(3)) && stream->close(stream));
    uint32_t bytes = (uint32_t)(sink.sink.at - memory) - (uint32_t)sizeof(struct skyway_header);

    EXPECT(written(list(3), sizeof work, other_memory) == bytes);
    begin_input();
    hw_skyway_memory_source(&source, other_memory, bytes + (uint32_t)sizeof(struct skyway_header));
    EXPECT(!hw_skyway_read(&input, &(hw_handle){NULL}) && input.status == HW_SKYWAY_OTHER_LAYOUT);
}
