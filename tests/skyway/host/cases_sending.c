/* The cases about senders: other serializations, work areas, errors, and files. */
#include <string.h>

#include "cases.h"
#include "skyway/file.h"
#include "runtime/heap/epoch.h"
#include "cereal/cereal.h"

static _Alignas(64) uint8_t work[1 << 16], stream[1 << 16];

/* Cereal and Skyway claim objects by the same words: neither mistakes the other's claim for its own, or is stopped by
 * it. */
CASE(sharing_epochs) {
    struct hw_cereal cereal;
    struct hw_cereal_output cereal_output;
    struct hw_cereal_input cereal_input;
    hw_handle root, copy;

    begin(false);
    root = list(50);
    hw_cereal_initialize(false);
    EXPECT(hw_cereal_register_class(HW_CLASS_ListNode) == 0);
    hw_cereal_open(&cereal, work, sizeof work);
    /* Skyway's stream is open and owns all 50. */
    EXPECT(hw_skyway_write(&output, root));
    for (int i = 0; i < 3; i++) {
        hw_cereal_output_open(&cereal_output, stream, sizeof stream);
        EXPECT(hw_cereal_write(&cereal, &cereal_output, root));
        hw_cereal_input_open(&cereal_input, stream, sizeof stream);
        EXPECT(hw_cereal_read(&cereal, &cereal_input, &copy) && length_of(copy) == 50);
        hw_collect(i == 1);
        /* Skyway still owns them: it sends a backward reference, not a second copy. */
        uint32_t before = output.free;

        EXPECT(hw_skyway_write(&output, root) && output.free == before);
    }
    /* Objects that another open epoch owns go into the stream's table, and stay there through collections. */
    uint32_t epoch = hw_epoch_open();
    hw_handle other = list(20);

    for (hw_ref at = other->reference; at; at = *(hw_ref *)hw_pointer(at + HW_CLASS_ListNode_next))
        EXPECT(hw_epoch_claim(hw_pointer(at), epoch << HW_EPOCH_SHIFT | output.stream));
    EXPECT(hw_skyway_write(&output, other) && output.shared.count == 20);
    hw_collect(false);
    hw_collect(true);
    hw_epoch_close(epoch);
    uint32_t before = output.free;

    EXPECT(hw_skyway_write(&output, other) && output.free == before && output.shared.count == 20);
    EXPECT(hw_skyway_output_end(&output));
    begin_input();
    for (int i = 0; i < 6; i++) {
        EXPECT(hw_skyway_read(&input, &copy) && length_of(copy) == (i < 4 ? 50 : 20));
        EXPECT(input.tops[-1 - i] == input.tops[i < 4 ? -1 : -5]);
    }
    walk();
}

static uint32_t wide(uint32_t elements, hw_handle *array) {
    *array = lists(elements, 1);
    return 24 + elements * 4 + elements % 2 * 4 + elements * NODE_BYTES;
}

/* A full queue is no error. A full table and a full output are reported, and leave nothing behind; with more room the
 * same call succeeds. */
CASE(work_areas) {
    struct hw_skyway_output holder;
    struct hw_skyway_memory_sink held;
    hw_handle array, copy;

    begin(false);
    uint32_t image = wide(200, &array);

    for (uint32_t bytes = 0; bytes <= 8 * 201; bytes += 8) {
        begin_output(bytes, CASES_MEMORY);
        bool written = hw_skyway_write(&output, array);

        /* The array is cloned first. Each element stays in the queue until it has been cloned and its own references
         * have been found to be null. */
        EXPECT(written == (bytes >= 16) && (written || output.status == HW_STATUS_WORK_FULL));
        EXPECT(!written || (output.refills != 0) == (bytes / 16 * 8 < 4 * 200));
        EXPECT(written || (sink.sink.at == memory && !hw_skyway_write(&output, array)));
        hw_skyway_output_close(&output);
    }
    for (uint32_t bytes = 0; bytes < image + 100; bytes += 8) {
        begin_output(4096, bytes);
        bool written = hw_skyway_write(&output, array) && hw_skyway_output_end(&output);

        EXPECT(written == (bytes >= 32 + 16 + image + 8 + 16));
        EXPECT(written || (output.status == HW_STATUS_OUTPUT_FULL && sink.sink.at == memory));
        hw_skyway_output_close(&output);
    }
    /* Another stream owns all of them. */
    open_output(&holder, &held, stream, sizeof stream, work, sizeof work);
    EXPECT(hw_skyway_write(&holder, array));
    for (uint32_t entries = 1; entries <= 256; entries *= 2) {
        begin_output(2 * 16 * entries, CASES_MEMORY);
        bool written = hw_skyway_write(&output, array);

        EXPECT(written == (entries == 256) && (written || output.status == HW_STATUS_WORK_FULL));
        if (written) EXPECT(output.shared.count == 201 && hw_skyway_output_end(&output));
        hw_skyway_output_close(&output);
    }
    begin_input();
    EXPECT(hw_skyway_read(&input, &copy));
    EXPECT(hw_array_length(copy->reference) == 200 && hw_skyway_output_close(&holder));
}

static hw_handle changed;
static uint32_t sends;

/* At one send in the middle, drops the references to most of the elements, and collects. */
static bool unlink_elements(struct hw_skyway_sink *to, uint32_t bytes) {
    (void)to;
    (void)bytes;
    if (++sends != 12) return true;
    for (uint32_t i = 60; i < 100; i++) hw_set_element(changed, i, NULL);
    hw_collect(true);
    return true;
}

/* Objects that did not fit into the queue: objects owned by another stream are among them. If another thread drops the
 * references to them meanwhile, the stream reports it. */
CASE(beyond_the_queue) {
    static _Alignas(8) uint8_t buffer[128];
    struct hw_skyway_sink draining = {
        .at = buffer, .limit = buffer + sizeof buffer, .send = unlink_elements, .drains = true};
    struct hw_skyway_output holder;
    struct hw_skyway_memory_sink held;
    hw_handle array, copy;

    begin(false);
    uint32_t image = wide(200, &array);

    open_output(&holder, &held, stream, sizeof stream, work, sizeof work);
    for (uint32_t i = 0; i < 8; i++) EXPECT(hw_skyway_write(&holder, hw_get_element(array, 190 + i)));
    begin_output(2 * 8 * 16, CASES_MEMORY);
    EXPECT(hw_skyway_write(&output, array) && output.refills >= 20 && output.free == 16 + image);
    EXPECT(output.shared.count == 8 && hw_skyway_output_end(&output));
    begin_input();
    EXPECT(hw_skyway_read(&input, &copy) && hw_array_length(copy->reference) == 200);
    hw_skyway_output_close(&holder);

    changed = lists(100, 1);
    hw_skyway_output_open(&output, &draining, work, 64, HW_SKYWAY_LAYOUT_METADATA);
    EXPECT(!hw_skyway_write(&output, changed) && output.status == HW_STATUS_BAD_OBJECT && sends > 12);
    hw_skyway_output_clear(&output);
    EXPECT(hw_skyway_write(&output, changed) && hw_skyway_output_close(&output));
}

/* An object that cannot be sent ends the call, not the program. */
CASE(bad_objects) {
    static _Alignas(8) uint32_t outside[8] = {1};

    begin(false);
    hw_handle root = list(2);
    hw_ref *next = hw_pointer(root->reference + HW_CLASS_ListNode_next), good = *next;
    uint32_t bound, limit;

    hw_heap_bounds(&bound, &limit);
    const hw_ref bad[] = {hw_reference(outside), good + 4, limit - 8, bound - 8, 8, 0xfffffff8};

    for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++) {
        *next = bad[i];
        begin_output(1024, CASES_MEMORY);
        EXPECT(!hw_skyway_write(&output, root) && output.status == HW_STATUS_BAD_OBJECT && output.at == bad[i]);
    }
    /* An array whose metadata would lie behind the heap. */
    uint32_t *end = hw_pointer(limit - 16);
    const uint32_t before[4] = {end[0], end[1], end[2], end[3]};

    end[HW_OBJECT_KLASS / 4] =
        *(uint32_t *)hw_pointer(hw_new_array(HW_CLASS_int_array, 0)->reference + HW_OBJECT_KLASS);
    end[HW_OBJECT_ARRAY_LENGTH / 4] = 0;
    *next = limit - 16;
    begin_output(1024, CASES_MEMORY);
    EXPECT(!hw_skyway_write(&output, root) && output.status == HW_STATUS_BAD_OBJECT && output.at == limit - 16);
    memcpy(end, before, sizeof before);
    static const struct hw_klass plain = {.object_size = 16, .kind = HW_KLASS_KIND_INSTANCE};

    *next = good;
    hw_set(root, HW_CLASS_ListNode_next, hw_new(&plain));
    begin_output(1024, CASES_MEMORY);
    EXPECT(!hw_skyway_write(&output, root) && output.status == HW_STATUS_UNREGISTERED_CLASS);
    hw_handle array = hw_new_array(HW_CLASS_int_array, 3);
    uint32_t *length = hw_pointer(array->reference + HW_OBJECT_ARRAY_LENGTH);

    *length = 0x7fffffff;
    hw_skyway_output_clear(&output);
    EXPECT(!hw_skyway_write(&output, array) && output.status == HW_STATUS_BAD_OBJECT);
    *length = 3;
}

/* Two phases in one file; a buffer is abandoned between them. The file is read back through a small buffer. */
CASE(files) {
    static _Alignas(8) uint8_t buffer[256], pieces[40];
    struct hw_skyway_file_sink out;
    struct hw_skyway_file_source in;
    FILE *file = tmpfile();
    hw_handle copy, bad;

    begin(false);
    hw_skyway_file_sink(&out, file, buffer, sizeof buffer);
    hw_skyway_output_open(&output, &out.sink, work, sizeof work, HW_SKYWAY_LAYOUT_METADATA);
    EXPECT(hw_skyway_write(&output, list(100)) && hw_skyway_output_end(&output));
    bad = list(100);
    hw_ref *next = hw_pointer(bad->reference + HW_CLASS_ListNode_next), good = *next;

    EXPECT(hw_skyway_write(&output, list(30)));
    *next = 4;
    EXPECT(!hw_skyway_write(&output, bad) && output.status == HW_STATUS_BAD_OBJECT);
    *next = good;
    hw_skyway_output_clear(&output);
    EXPECT(hw_skyway_shuffle_start() == HW_STATUS_OK && hw_skyway_write(&output, list(5)) &&
           hw_skyway_output_close(&output));
    rewind(file);
    hw_skyway_file_source(&in, file, pieces, sizeof pieces);
    begin_input();
    input.source = &in.source;
    EXPECT(hw_skyway_read(&input, &copy) && length_of(copy) == 100);
    EXPECT(hw_skyway_read(&input, &copy) && length_of(copy) == 5);
    EXPECT(!hw_skyway_read(&input, &copy) && input.status == HW_SKYWAY_END);
    fclose(file);
}

/* The first object has no type id. The mutated streams found this case. */
CASE(first_object) {
    hw_handle copy;

    begin(false);
    EXPECT(hw_skyway_write(&output, list(1)) && hw_skyway_output_end(&output));
    memset(memory + 32 + 16 + 4, 0, 4);
    begin_input();
    EXPECT(!hw_skyway_read(&input, &copy) && input.status == HW_STATUS_BAD_VALUE && input.at == 16);
}

/* An error stays until it is cleared, on both sides; then the stream can be used again. */
CASE(errors_stay) {
    hw_handle copy;

    begin(false);
    hw_skyway_shuffle_end();
    EXPECT(!hw_skyway_write(&output, list(1)) && output.status == HW_SKYWAY_NO_PHASE);
    EXPECT(hw_skyway_shuffle_start() == HW_STATUS_OK && !hw_skyway_write(&output, list(1)));
    hw_skyway_output_clear(&output);
    EXPECT(hw_skyway_write(&output, list(1)) && hw_skyway_write(&output, NULL) && hw_skyway_output_end(&output));
    memory[0] ^= 1;
    begin_input();
    EXPECT(!hw_skyway_read(&input, &copy) && input.status == HW_STATUS_BAD_STREAM);
    EXPECT(!hw_skyway_read(&input, &copy) && input.status == HW_STATUS_BAD_STREAM);
    memory[0] ^= 1;
    begin_input();
    EXPECT(hw_skyway_read(&input, &copy) && length_of(copy) == 1);
    EXPECT(hw_skyway_read(&input, &copy) && copy == NULL);
    EXPECT(!hw_skyway_read(&input, &copy) && input.status == HW_SKYWAY_END);
}
