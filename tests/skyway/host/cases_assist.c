/* The cases about a unit that works for the streams: a model of the unit that stops wherever a case wants, and software
 * that continues. */
#include <string.h>

#include "skyway/file.h"
#include "runtime/heap/input.h"
#include "skyway/receiver/receiver.h"
#include "skyway/sender/sender.h"
#include "unit_model.h"

static uint8_t expected[CASES_MEMORY];
static _Alignas(64) uint8_t queue[1 << 12];
static uint32_t queue_bytes = sizeof queue;

/* Returns an array of references to the nodes of a list, each twice, and of nulls. */
static hw_handle array_of(uint32_t length) {
    hw_handle nodes = list(length), items = hw_new_array(HW_CLASS_Object_array, length);
    hw_ref node = nodes->reference, *slots = hw_pointer(items->reference + HW_OBJECT_METADATA_ARRAY_ELEMENTS);

    for (uint32_t i = 0; i < length; i++) {
        slots[i] = i % 3 ? node : 0;
        if (i % 2) node = *(hw_ref *)hw_pointer(node + HW_CLASS_ListNode_next);
    }
    return items;
}

/* Makes a stream of the roots in `memory`, and returns its bytes. Only the header differs from stream to stream. */
static uint32_t stream_of(hw_handle *roots, uint32_t number_of_roots) {
    EXPECT(hw_skyway_shuffle_start() == HW_STATUS_OK);
    open_output(&output, &sink, memory, sizeof memory, queue, queue_bytes);
    for (uint32_t i = 0; i < number_of_roots; i++) EXPECT(hw_skyway_write(&output, roots[i]));
    uint32_t commands = output.commands, fallbacks = output.fallbacks;

    EXPECT(hw_skyway_output_close(&output) && output.commands == commands && output.fallbacks == fallbacks);
    return (uint32_t)(sink.sink.at - memory);
}

CASE(assisted_sending) {
    hw_handle roots[5];

    begin(false);
    roots[0] = list(30);
    roots[1] = array_of(40);
    roots[2] = roots[0];
    roots[3] = NULL;
    roots[4] = array_of(9);
    uint32_t bytes = stream_of(roots, 5), header = sizeof(struct skyway_header);

    EXPECT(output.commands == 0 && output.fallbacks == 0);
    memcpy(expected, memory, bytes);
    hw_skyway_assist_by(&unit_model_assist);
    EXPECT(unit_model.learned != 0);
    for (unit_model.stop = 0; unit_model.stop < 60; unit_model.stop++) {
        EXPECT(stream_of(roots, 5) == bytes && memcmp(memory + header, expected + header, bytes - header) == 0);
        /* The third root has been sent before, and the fourth is null: neither needs a command. */
        EXPECT(output.commands + output.fallbacks == 3 && (output.fallbacks == 0) == (unit_model.stop >= 41) &&
               output.refills == 0);
    }
    /* If the unit stopped for want of room, it is asked again for the next root; otherwise it is not asked again in
     * this buffer. */
    for (uint32_t alone = 0; alone < 2; alone++) {
        unit_model.stop = 35;
        unit_model.reason = alone ? HW_STATUS_UNREGISTERED_CLASS : HW_STATUS_OUTPUT_FULL;
        roots[0] = array_of(40);
        roots[1] = list(30);
        EXPECT(stream_of(roots, 2) && output.commands == !alone && output.fallbacks == 1 + alone);
    }
    roots[0] = roots[2];
    roots[1] = array_of(40);
    unit_model.reason = 0;
    unit_model.stop = NEVER;
    EXPECT(stream_of(roots, 5) == bytes && output.commands == 3 && output.refills == 0);
    /* A stream with entries in its table of shared objects does not use the unit until its buffer has ended. */
    unit_model.calls = 0;
    uint32_t epoch = hw_epoch_open();

    EXPECT(hw_skyway_shuffle_start() == HW_STATUS_OK);
    open_output(&output, &sink, memory, sizeof memory, queue, sizeof queue);
    EXPECT(hw_epoch_claim(hw_pointer(roots[0]->reference), epoch << HW_EPOCH_SHIFT));
    hw_skyway_assist_by(NULL);
    EXPECT(hw_skyway_write(&output, roots[0]) && output.shared.count == 1);
    hw_skyway_assist_by(&unit_model_assist);
    EXPECT(hw_skyway_write(&output, roots[1]) && unit_model.calls == 0 && output.fallbacks == 1);
    hw_epoch_close(epoch);
    EXPECT(hw_skyway_output_close(&output));
    /* A collection in between, and classes that lose their ids. */
    hw_collect(true);
    walk();
    EXPECT(stream_of(roots, 5) == bytes && memcmp(memory + header, expected + header, bytes - header) == 0);
    hw_skyway_drive(9, &hw_skyway_java_loader);
    EXPECT(unit_model.learned == 0 && hw_skyway_load_java_classes() == HW_STATUS_OK && unit_model.learned != 0);
}

/* The unit has numbered more objects than the queue holds when software continues. */
CASE(continuing_by_short_queues) {
    hw_handle roots[2];

    begin(false);
    roots[0] = array_of(90);
    roots[1] = array_of(60);
    uint32_t bytes = stream_of(roots, 2), header = sizeof(struct skyway_header);

    memcpy(expected, memory, bytes);
    hw_skyway_assist_by(&unit_model_assist);
    for (queue_bytes = 256; queue_bytes <= 1024; queue_bytes += 128)
        for (unit_model.stop = 0; unit_model.stop < 100; unit_model.stop++) {
            EXPECT(stream_of(roots, 2) == bytes && memcmp(memory + header, expected + header, bytes - header) == 0);
            EXPECT(unit_model.stop >= 91 || ((output.refills != 0) == (queue_bytes < 384) && output.fallbacks != 0));
        }
    queue_bytes = sizeof queue;
}

/* Output buffers smaller than a root, and queues of every length: the stream is the one that software makes alone. */
CASE(continuing) {
    static _Alignas(8) uint8_t buffer[1024];
    static uint8_t written[CASES_MEMORY];
    static const uint32_t lengths[] = {90, 70, 5, 6};
    struct hw_skyway_file_sink out;
    hw_handle roots[4];

    begin(false);
    roots[0] = array_of(lengths[0]);
    for (int i = 1; i < 4; i++) roots[i] = list(lengths[i]);
    hw_scope scope = hw_scope_open();

    for (uint32_t bytes = 256; bytes <= sizeof queue; bytes += 128)
        for (uint32_t part = 256; part <= sizeof buffer; part += 256)
            for (uint32_t by = 0, refills[2] = {0}; by < 2; by++) {
                FILE *file = tmpfile();

                hw_skyway_assist_by(by ? &unit_model_assist : NULL);
                unit_model.stop = NEVER;
                EXPECT(hw_skyway_shuffle_start() == HW_STATUS_OK);
                hw_skyway_file_sink(&out, file, buffer, part);
                hw_skyway_output_open(&output, &out.sink, queue, bytes, HW_SKYWAY_LAYOUT_METADATA);
                for (int i = 0; i < 4; i++) EXPECT(hw_skyway_write(&output, roots[i]));
                /* The unit stops in the first root. It is not asked for the next two; the second may be as large. */
                EXPECT(output.fallbacks == (by ? 3 : 0) && output.commands == by);
                refills[by] = output.refills;
                EXPECT(hw_skyway_output_close(&output) && refills[1] <= refills[0]);
                rewind(file);
                size_t length = fread(by ? written : expected, 1, CASES_MEMORY, file);

                EXPECT(length > 4096 && fclose(file) == 0);
                if (!by) {
                    memset(written, 0, sizeof written);
                    continue;
                }
                uint32_t count = 0;

                open_input(written, (uint32_t)length, queue, sizeof queue);
                for (hw_handle copy; hw_skyway_read(&input, &copy); count++)
                    EXPECT(count ? length_of(copy) == lengths[count] : hw_array_length(copy->reference) == lengths[0]);
                EXPECT(count == 4 && input.status == HW_SKYWAY_END);
                hw_skyway_free(input.buffer);
                hw_collect(true);
                hw_scope_close(scope);
            }
}

/* Faults of the machine become the stream's status; software does not repeat the work. */
CASE(machine_faults) {
    static const int faults[] = {HW_STATUS_BUS_FAULT, HW_STATUS_BAD_COMMAND, HW_STATUS_BAD_ALIGNMENT,
                                 HW_STATUS_OUT_OF_BOUNDS, HW_STATUS_BROKEN};
    static _Alignas(64) uint8_t work[1 << 12];
    hw_handle root, copy;

    begin(false);
    hw_skyway_assist_by(&unit_model_assist);
    unit_model.stop = NEVER;
    root = list(100);
    uint32_t bytes = stream_of(&root, 1);

    for (unsigned i = 0; i < sizeof faults / sizeof *faults; i++) {
        unit_model.fault = faults[i];
        begin_output(2048, CASES_MEMORY / 2);
        EXPECT(!hw_skyway_write(&output, root) && output.status == faults[i] && output.fallbacks == 0 &&
               output.commands == 0);
        EXPECT(sink.sink.at == memory && !hw_skyway_output_close(&output));
        unit_model.fault = 0;
        EXPECT(stream_of(&root, 1) == bytes && output.commands == 1);
        for (int copies = 0; copies < 2; copies++) {
            unit_model.fault = copies ? 0 : faults[i];
            unit_model.copy_fault = copies ? faults[i] : 0;
            open_input(memory, bytes, work, sizeof work);
            EXPECT(!hw_skyway_read(&input, &copy) && input.status == faults[i] && input.fallbacks == 0 &&
                   unit_model.copies);
            unit_model.fault = unit_model.copy_fault = 0;
        }
        open_input(memory, bytes, work, sizeof work);
        EXPECT(hw_skyway_read(&input, &copy) && length_of(copy) == 100);
        hw_skyway_free(input.buffer);
        hw_collect(true);
        walk();
    }
}

CASE(assisted_receiving) {
    hw_handle roots[3], copy;
    static _Alignas(64) uint8_t work[1 << 12];

    begin(false);
    unit_model.stop = NEVER;
    hw_skyway_assist_by(&unit_model_assist);
    roots[0] = list(60);
    roots[1] = array_of(90);
    roots[2] = hw_new_array(HW_CLASS_byte_array, 30000);
    uint32_t bytes = stream_of(roots, 3);

    for (int turn = 0; turn < 6; turn++) {
        bool room = turn < 4; /* for the map too */

        unit_model.refuses = turn % 2;
        open_input(memory, bytes, work, room ? sizeof work : 64);
        unit_model.calls = 0;
        EXPECT(hw_skyway_read(&input, &copy) && length_of(copy) == 60);
        EXPECT(input.commands == (room && !unit_model.refuses) && input.fallbacks == !input.commands &&
               unit_model.calls == room);
        EXPECT(hw_skyway_read(&input, &copy) && hw_array_length(copy->reference) == 90);
        EXPECT(hw_skyway_read(&input, &copy) && hw_array_length(copy->reference) == 30000);
        walk();
        hw_collect(turn % 2);
        walk();
        hw_skyway_free(input.buffer);
        hw_collect(true);
        walk();
    }
    unit_model.refuses = false;
    /* A reference to the middle of an object, or such a top, or both: the unit reports the errors that software
     * reports. */
    uint32_t first = sizeof(struct skyway_header) + sizeof(struct skyway_segment);
    uint32_t *slot = (uint32_t *)(void *)(memory + first + HW_CLASS_ListNode_next), good = *slot;
    uint32_t *tops = (uint32_t *)(void *)(memory + first + (output.free - SKYWAY_FIRST)), root = tops[1];

    for (int turn = 0; turn < 16; turn++) {
        int status[2];
        uint32_t at[2];

        *slot = turn & 1 ? 24 + 8 * 60 : good;
        tops[1] = turn & 2 ? (turn & 4 ? root + 8 : turn & 8 ? 0x7ffffff8 : root) : root;
        for (int by = 0; by < 2; by++) {
            hw_skyway_assist_by(by ? &unit_model_assist : NULL);
            open_input(memory, bytes, work, sizeof work);
            bool read = hw_skyway_read(&input, &copy);

            status[by] = read ? HW_STATUS_OK : input.status;
            at[by] = input.at;
            EXPECT(!by || input.commands == 1);
            if (read) hw_skyway_free(input.buffer);
        }
        EXPECT(status[0] == status[1] && at[0] == at[1]);
        walk();
    }
}

/* A buffer of several segments stays one chunk, which a unit takes, as long as the regions behind it are free. */
CASE(assisted_segments) {
    static _Alignas(64) uint8_t work[1 << 12];
    hw_handle root, copy;

    begin(false);
    unit_model.stop = NEVER;
    hw_skyway_assist_by(&unit_model_assist);
    EXPECT(hw_skyway_shuffle_start() == HW_STATUS_OK);
    open_output(&output, &sink, memory, sizeof memory, queue, sizeof queue);
    uint32_t first = 0, bytes;

    for (uint32_t i = 1; i <= 4; i++) {
        root = hw_new_array(HW_CLASS_byte_array, hw_space.options.region_bytes / 2 + i);
        EXPECT(hw_skyway_write(&output, root) && hw_skyway_flush(&output));
        if (i == 1) first = (uint32_t)(sink.sink.at - memory);
    }
    EXPECT(hw_skyway_output_close(&output));
    bytes = (uint32_t)(sink.sink.at - memory);
    for (int occupied = 0; occupied < 2; occupied++) {
        uint32_t taken;
        hw_ref run = 0;

        open_input(memory, 0, work, sizeof work);
        EXPECT(hw_skyway_take(&input, memory, first, &taken) && taken == first && input.chunk_count == 1);
        if (occupied) EXPECT((run = hw_input_take(1)) != 0);
        EXPECT(hw_skyway_take(&input, memory + first, bytes - first, &taken) && taken == bytes - first);
        EXPECT(input.commands == !occupied && input.fallbacks == (uint32_t)occupied);
        for (uint32_t i = 0; i < 4; i++)
            EXPECT(hw_skyway_read(&input, &copy) &&
                   hw_array_length(copy->reference) == hw_space.options.region_bytes / 2 + i + 1);
        if (occupied) hw_input_drop(run);
        walk();
        hw_skyway_free(input.buffer);
        hw_collect(true);
        walk();
    }
}

/* Another thread begins to use units between software's copy of a buffer, which absolutizes it, and the end of the
 * buffer. The unit is not asked: a fault of its own would leave the notes of the copy in the collector's tables. */
CASE(unit_after_the_copy) {
    static _Alignas(64) uint8_t work[1 << 12];
    hw_handle root, copy;

    begin(false);
    root = list(100);
    open_input(memory, stream_of(&root, 1), work, sizeof work);
    EXPECT(hw_skyway_read(&input, &copy) && input.absolutized == input.chunks[0].bytes);
    /* As it was at the end of the buffer, but without a root, which is a reference by now, and without notes. */
    input.chunk_count = 1;
    input.top_count = 0;
    hw_input_begin(input.chunks[0].run, input.chunks[0].run + input.chunks[0].bytes);
    hw_skyway_assist_by(&unit_model_assist);
    unit_model.calls = 0;
    unit_model.fault = HW_STATUS_BUS_FAULT;
    EXPECT(skyway_absolutize(&input) && unit_model.calls == 0 && input.status == HW_STATUS_OK);
    unit_model.fault = 0;
    hw_skyway_assist_by(NULL);
}
