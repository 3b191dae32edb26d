/* The limits of the software codec and of the driver of the field instructions. A fake unit accepts every field and
 * stores none. `limits BLOB` with the schema of test_limits.py. Prints the first check that fails. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../common/expect.h"
#include "memory.h"
#include "protobuf/fields/generated.h"
#include "runtime/message.h"
#include "runtime/regions.h"
#include "runtime/registers.h"
#include "runtime/schema.h"
#include "runtime/thread.h"
#include "units/capability.h"
#include "limits.fields.h"

#define ARENA 65536u
#define NEXT 2 /* numbers of fields of test.Node */
#define NODES 1

uint32_t fields_taken, fields_status, fields_fixed;

static const struct hw_type *node;

static struct hw_arenas new_heap(void) {
    struct hw_arenas heap;

    guard_set(HW_FIXED_BASE + GUARD_BYTES, ARENA);
    guard_set(HW_FLEXIBLE_BASE + GUARD_BYTES, ARENA);
    hw_arena_init(&heap.fixed, HW_FIXED_BASE + GUARD_BYTES, ARENA);
    hw_arena_init(&heap.flexible, HW_FLEXIBLE_BASE + GUARD_BYTES, ARENA);
    return heap;
}

static void check_guards(void) {
    guard_check(HW_FIXED_BASE + GUARD_BYTES, ARENA);
    guard_check(HW_FLEXIBLE_BASE + GUARD_BYTES, ARENA);
}

/* Lengths that pass the end of the address space: memory there is never accessed. */
static void test_wrapping(void) {
    struct hw_arenas heap = new_heap();
    uint8_t *last = (uint8_t *)(UINTPTR_MAX - 15);
    uint32_t bound = HW_FIXED_BASE, limit = HW_FIXED_BASE + ARENA;

    struct hw_protobuf_codec_object read = hw_protobuf_codec_read(node, last, 17, 0, &heap);
    EXPECT(read.status == HW_STATUS_OUT_OF_BOUNDS && read.offset == 0 && read.root == 0 &&
           heap.fixed.top == heap.fixed.base);
    read = hw_fields_read(&test_Node_fields, last, 17, 0, &heap);
    EXPECT(read.status == HW_STATUS_OUT_OF_BOUNDS && read.offset == 0 && read.root == 0 &&
           heap.fixed.top == heap.fixed.base);
    struct hw_protobuf_codec_bytes written = hw_protobuf_codec_write(node, bound, 0, last, 17, bound, limit);
    EXPECT(written.status == HW_STATUS_OUT_OF_BOUNDS && written.at == 0 && written.length == 0);
    written = hw_fields_write(&test_Node_fields, bound, 0, last, 17, bound, limit);
    EXPECT(written.status == HW_STATUS_OUT_OF_BOUNDS && written.at == 0 && written.length == 0 && fields_taken == 0);
    check_guards();
}

static hw_ref new_node(struct hw_arena *arena) {
    hw_ref object = hw_arena_take(arena, HW_GET(node, ADT_OBJECT_SIZE));

    memset(hw_pointer(object), 0, HW_GET(node, ADT_OBJECT_SIZE));
    ((struct hw_object *)hw_pointer(object))->klass = HW_GET(node, ADT_KLASS);
    *(hw_ref *)hw_pointer(object + HW_GET(node, ADT_UNKNOWN_FIELDS_OFFSET)) = hw_registers[HW_REG_UNKNOWN_FIELDS];
    return object;
}

/* A graph of a few KB that is 2^99 messages on the wire. */
static void test_shared_graph(void) {
    struct hw_arenas heap = new_heap();
    uint32_t slot = HW_GET(hw_type_find(node, NODES), ENTRY_OFFSET);
    hw_ref object = new_node(&heap.fixed);
    static uint8_t output[64];

    for (int i = 1; i < 99; i++) {
        hw_ref outer = new_node(&heap.fixed), list = hw_arena_take(&heap.fixed, HW_OBJECT_ARRAY_LIST_SIZE);
        hw_ref array = hw_arena_take(&heap.fixed, HW_OBJECT_ARRAY_ELEMENTS + 8);

        *(struct hw_array_list *)hw_pointer(list) = (struct hw_array_list){.count = 2, .array = array};
        ((struct hw_array *)hw_pointer(array))->length = 2;
        ((hw_ref *)(void *)hw_array_bytes(array))[0] = ((hw_ref *)(void *)hw_array_bytes(array))[1] = object;
        *(hw_ref *)hw_pointer(outer + slot) = list;
        object = outer;
    }
    fields_taken = 0;
    fields_status = HW_STATUS_OUTPUT_FULL;
    struct hw_protobuf_codec_bytes written =
        hw_fields_write(&test_Node_fields, object, 0, output, sizeof(output), heap.fixed.base, heap.fixed.top);
    EXPECT(written.status == HW_STATUS_OUTPUT_FULL && written.at == 0);
    EXPECT(fields_taken <= sizeof(output));
    fields_status = HW_STATUS_OK;
}

/* Writes `levels` nested messages so that they end at `end`. Returns where they begin. */
static uint8_t *nest(uint8_t *end, unsigned levels) {
    uint8_t *at = end;

    for (; levels > 0; levels--) {
        uint32_t length = (uint32_t)(end - at);

        if (length >= 0x80)
            *--at = (uint8_t)(length >> 7), *--at = (uint8_t)(length & 0x7f) | 0x80;
        else
            *--at = (uint8_t)length;
        *--at = NEXT << 3 | 2;
    }
    return at;
}

/* If a stack has a guard, it limits the nesting of messages; without a guard it does not. */
static void test_stack(void) {
    static uint8_t many[512], few[64], output[512];
    uint8_t *deep = nest(many + sizeof(many), HW_PROTOBUF_CODEC_MAX_DEPTH), *flat = nest(few + sizeof(few), 5);
    uint32_t length = (uint32_t)(many + sizeof(many) - deep);
    struct hw_arenas heap = new_heap();
    struct hw_protobuf_codec_object read = hw_protobuf_codec_read(node, deep, length, 0, &heap);
    struct hw_protobuf_codec_object small =
        hw_protobuf_codec_read(node, flat, (uint32_t)(few + sizeof(few) - flat), 0, &heap);
    struct hw_protobuf_codec_bytes written;
    hw_ref base = heap.fixed.base;

    EXPECT(read.status == HW_STATUS_OK && small.status == HW_STATUS_OK);
    hw_thread->stack_guard = (uint32_t *)((uintptr_t)__builtin_frame_address(0) - 4096);
    struct hw_arenas kept = heap;
    struct hw_protobuf_codec_object refused = hw_protobuf_codec_read(node, deep, length, 0, &heap);
    EXPECT(refused.status == HW_STATUS_DEPTH_EXCEEDED && refused.offset > 0 && refused.offset < length &&
           heap.fixed.top == kept.fixed.top);
    refused = hw_fields_read(&test_Node_fields, deep, length, 0, &heap);
    EXPECT(refused.status == HW_STATUS_DEPTH_EXCEEDED && heap.fixed.top == kept.fixed.top);
    written = hw_protobuf_codec_write(node, read.root, 0, output, sizeof(output), base, heap.fixed.top);
    EXPECT(written.status == HW_STATUS_DEPTH_EXCEEDED && written.at != 0);
    written = hw_fields_write(&test_Node_fields, read.root, 0, output, sizeof(output), base, heap.fixed.top);
    EXPECT(written.status == HW_STATUS_DEPTH_EXCEEDED && written.at != 0);
    written = hw_protobuf_codec_write(node, small.root, 0, output, sizeof(output), base, heap.fixed.top);
    EXPECT(written.status == HW_STATUS_OK);

    hw_thread->stack_guard = (uint32_t *)((uintptr_t)__builtin_frame_address(0) - 256);
    refused = hw_protobuf_codec_read(node, flat, 0, 0, &heap);
    EXPECT(refused.status == HW_STATUS_DEPTH_EXCEEDED && refused.offset == 0);
    written = hw_protobuf_codec_write(node, small.root, 0, output, sizeof(output), base, heap.fixed.top);
    EXPECT(written.status == HW_STATUS_DEPTH_EXCEEDED && written.at == small.root);

    hw_thread->stack_guard = NULL;
    written = hw_protobuf_codec_write(node, read.root, 0, output, sizeof(output), base, heap.fixed.top);
    EXPECT(written.status == HW_STATUS_OK && written.length == length && memcmp(written.start, deep, length) == 0);
    check_guards();
}

/* A view has bytes if its length says so. What is not within the bounds is left to the unit. */
static void test_views(void) {
    struct hw_arenas heap = new_heap();
    hw_ref at = hw_arena_take(&heap.fixed, sizeof(struct hw_byte_view));
    struct hw_fields_writer writer = {.bound = at, .span = sizeof(struct hw_byte_view)};
    struct hw_byte_view *view = hw_pointer(at);

    *view = (struct hw_byte_view){.mark = HW_OBJECT_BYTE_VIEW_MARK};
    EXPECT(!hw_fields_has_bytes(&writer, at));
    view->length = 1;
    EXPECT(hw_fields_has_bytes(&writer, at));
    view->length = 0;
    writer.span = HW_OBJECT_BYTE_STRING_SIZE;
    EXPECT(hw_fields_has_bytes(&writer, at));
}

int main(int count, char **arguments) {
    if (count != 2) return 2;
    memory_map();
    hw_capability_discover();
    EXPECT(hw_schema_load(hw_pointer(HW_LOAD_BASE), memory_load(arguments[1], HW_LOAD_BASE, HW_LOAD_BYTES)) ==
           HW_SCHEMA_OK);
    node = hw_schema_type(0);
    test_wrapping();
    test_shared_graph();
    test_stack();
    test_views();
    printf("ok\n");
    return 0;
}
