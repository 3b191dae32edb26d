/* Skyway by software and by Cereal's units: the same graphs, the same streams, objects that make the same stream again; and what each takes.
 * Prints a name and a number a line. */
#include <string.h>

#include "check.h"
#include "classes.h"
#include "codecs/skyway/assist.h"
#include "codecs/skyway/java_loader.h"
#include "codecs/skyway/skyway.h"
#include "platform/cycles.h"
#include "runtime/heap/heap.h"
#include "runtime/heap/object.h"
#include "runtime/heap/walk.h"
#include "runtime/java/class.h"
#include "runtime/regions.h"
#include "units/capability.h"
#include "units/copy.h"
#include "units/skyway.h"

#define STREAM_BYTES (64u << 10)
#define TIMES 2
#define BUFFER_BYTES 4096u
#define ROOTS 4
#define DEPTH 7

static _Alignas(64) uint8_t output_work[64u << 10], input_work[16u << 10];
static struct hw_skyway_output output;
static struct hw_skyway_input input;

static void put(hw_ref object, uint32_t at, hw_ref value)
{
    *(hw_ref *)hw_pointer(object + at) = value;
}

/* All of it is young, and stays where it is: no barrier, no handles. */
static hw_handle list(uint32_t length)
{
    hw_ref last = 0;

    for (uint32_t i = 0; i < length; i++) {
        hw_scope scope = hw_scope_open();
        hw_ref next = hw_new(HW_CLASS_ListNode)->reference;

        put(next, HW_CLASS_ListNode_next, last);
        last = next;
        hw_scope_close(scope);
    }
    return hw_handle_new(last);
}

static hw_ref tree_of(uint32_t depth)
{
    hw_scope scope = hw_scope_open();
    hw_ref node = hw_new(HW_CLASS_TreeNode)->reference, children = hw_new_array(HW_CLASS_TreeNode_array, depth ? 2 : 0)->reference;

    hw_scope_close(scope);
    put(node, HW_CLASS_TreeNode_children, children);
    for (uint32_t i = 0; depth && i < 2; i++)
        put(children, HW_OBJECT_METADATA_ARRAY_ELEMENTS + 4 * i, tree_of(depth - 1));
    return node;
}

static hw_handle tree(uint32_t depth)
{
    return hw_handle_new(tree_of(depth));
}

static hw_handle array(uint32_t length)
{
    hw_handle items = hw_new_array(HW_CLASS_Object_array, length);

    for (uint32_t i = 0; i < length; i++) {
        hw_scope scope = hw_scope_open();

        put(items->reference, HW_OBJECT_METADATA_ARRAY_ELEMENTS + 4 * i, hw_new(HW_CLASS_ListNode)->reference);
        hw_scope_close(scope);
    }
    return items;
}

static hw_handle values(uint32_t length)
{
    hw_handle bytes = hw_new_array(HW_CLASS_byte_array, length);

    for (uint32_t i = 0; i < length; i++)
        ((uint8_t *)hw_pointer(bytes->reference + HW_OBJECT_METADATA_ARRAY_ELEMENTS))[i] = (uint8_t)(i * 7);
    return bytes;
}

/* Cycles of a buffer with this root; its bytes. */
static uint32_t sent(hw_handle root, uint8_t *stream, uint32_t *bytes)
{
    struct hw_skyway_memory_sink sink;

    CHECK(hw_skyway_shuffle_start() == HW_STATUS_OK);
    hw_skyway_memory_sink(&sink, stream, STREAM_BYTES);
    uint32_t start = cycles_now();

    hw_skyway_output_open(&output, &sink.sink, output_work, sizeof output_work, HW_SKYWAY_LAYOUT_METADATA);
    CHECK(hw_skyway_write_object(&output, root) && hw_skyway_output_close(&output));
    uint32_t cycles = cycles_now() - start;

    *bytes = (uint32_t)(sink.sink.at - stream);
    return cycles;
}

static uint32_t received(const uint8_t *stream, uint32_t bytes, hw_handle *root)
{
    struct hw_skyway_source source;
    uint32_t start = cycles_now();

    hw_skyway_memory_source(&source, stream, bytes);
    hw_skyway_input_open(&input, &source, input_work, sizeof input_work, HW_SKYWAY_LAYOUT_METADATA);
    CHECK(hw_skyway_read_object(&input, root));
    return cycles_now() - start;
}

static void least(uint32_t *found, uint32_t value)
{
    *found = value < *found ? value : *found;
}

static void compare(const char *name, hw_handle (*make)(uint32_t), uint32_t size)
{
    uint8_t *stream[3];
    uint32_t bytes[3], send[2] = {UINT32_MAX, UINT32_MAX}, receive[2] = {UINT32_MAX, UINT32_MAX};
    const uint32_t header = sizeof(struct skyway_header);
    hw_scope scope = hw_scope_open();
    hw_handle root = make(size);
    struct hw_walk walked;

    CHECK(root && hw_exception_take() == HW_NO_EXCEPTION);
    for (int i = 0; i < 3; i++)
        stream[i] = (uint8_t *)hw_pointer(HW_FLEXIBLE_BASE + STREAM_BYTES * (uint32_t)i);
    for (int by = 0; by < 2; by++) {
        hw_skyway_assist_by(by ? hw_skyway_units() : NULL);
        CHECK(!by || hw_skyway_assist);
        for (int turn = 0; turn < TIMES; turn++) {
            hw_scope inner = hw_scope_open();
            hw_handle copy;

            least(&send[by], sent(root, stream[by], &bytes[by]));
            CHECK(output.commands == (uint32_t)by && output.fallbacks == 0);
            least(&receive[by], received(stream[by], bytes[by], &copy));
            CHECK(input.commands == (uint32_t)by && input.fallbacks == 0);
            sent(copy, stream[2], &bytes[2]);
            CHECK(bytes[2] == bytes[by] && memcmp(stream[2] + header, stream[by] + header, bytes[2] - header) == 0);
            CHECK(turn || hw_heap_walk(&walked));
            hw_scope_close(inner);
            hw_skyway_free(input.buffer);
            hw_collect(true);
        }
    }
    CHECK(bytes[0] == bytes[1] && memcmp(stream[0] + header, stream[1] + header, bytes[0] - header) == 0);
    printf("%s_bytes %u\n%s_send_sw %u\n%s_send_hw %u\n%s_receive_sw %u\n%s_receive_hw %u\n", name, (unsigned)bytes[0], name, (unsigned)send[0], name,
           (unsigned)send[1], name, (unsigned)receive[0], name, (unsigned)receive[1]);
    hw_scope_close(scope);
    hw_collect(true);
}

struct draining_sink {
    struct hw_skyway_sink sink;
    uint8_t *to;
};

static bool drain(struct hw_skyway_sink *base, uint32_t bytes)
{
    struct draining_sink *sink = (struct draining_sink *)base;

    memcpy(sink->to, base->at, bytes);
    sink->to += bytes;
    return true;
}

/* Roots that are larger than the buffer they go through, as a link's or a file's: the unit stops in the first one, and software goes on. */
static void compare_draining(const char *name, hw_handle (*make)(uint32_t), uint32_t size)
{
    static _Alignas(64) uint8_t buffer[BUFFER_BYTES];
    uint32_t bytes[2], least_cycles[2] = {UINT32_MAX, UINT32_MAX};
    uint8_t *stream[2] = {hw_pointer(HW_FLEXIBLE_BASE), hw_pointer(HW_FLEXIBLE_BASE + ROOTS * STREAM_BYTES)};
    const uint32_t header = sizeof(struct skyway_header);
    hw_scope scope = hw_scope_open();
    hw_handle roots[ROOTS];

    for (int i = 0; i < ROOTS; i++)
        CHECK((roots[i] = make(size)) != NULL);
    for (int by = 0; by < 2; by++) {
        hw_skyway_assist_by(by ? hw_skyway_units() : NULL);
        for (int turn = 0; turn < TIMES; turn++) {
            struct draining_sink sink = {.sink = {.at = buffer, .limit = buffer + sizeof buffer, .send = drain, .drains = true}, .to = stream[by]};

            CHECK(hw_skyway_shuffle_start() == HW_STATUS_OK);
            uint32_t start = cycles_now();

            hw_skyway_output_open(&output, &sink.sink, output_work, sizeof output_work, HW_SKYWAY_LAYOUT_METADATA);
            for (int i = 0; i < ROOTS; i++)
                CHECK(hw_skyway_write_object(&output, roots[i]));
            CHECK(hw_skyway_output_close(&output));
            least(&least_cycles[by], cycles_now() - start);
            CHECK(output.refills == 0 && (output.fallbacks != 0) == by);
            bytes[by] = (uint32_t)(sink.to - stream[by]);
        }
    }
    CHECK(bytes[0] == bytes[1] && memcmp(stream[0] + header, stream[1] + header, bytes[0] - header) == 0);
    printf("%s_through_bytes %u\n%s_through_sw %u\n%s_through_hw %u\n", name, (unsigned)bytes[0], name, (unsigned)least_cycles[0], name,
           (unsigned)least_cycles[1]);
    hw_scope_close(scope);
    hw_collect(true);
}

int main(void)
{
    const struct hw_heap_options options = {
        .base = HW_FIXED_BASE, .bytes = 1u << 20, .eden_bytes = 256u << 10, .survivor_bytes = 64u << 10, .large_bytes = 256u << 10,
    };

    hw_capability_discover();
    hw_classes_init();
    CHECK(hw_heap_init(&options));
    hw_skyway_drive(7, &hw_skyway_java_loader);
    CHECK(hw_skyway_load_java_classes() == HW_STATUS_OK);
    compare("list", list, 500);
    compare("tree", tree, DEPTH);
    compare("array", array, 800);
    compare("values", values, 16384);
    compare("small", list, 3);
    compare_draining("list", list, 300);
    compare_draining("tree", tree, DEPTH);
    compare_draining("array", array, 400);
    printf("copy_fallbacks %u\n", (unsigned)hw_copy_state.fallbacks);
    return 0;
}
