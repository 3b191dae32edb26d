/* What the programs about Skyway by units share: graphs, and the machine that sends them. */
#ifndef TESTS_SKYWAY_SHAPES_H
#define TESTS_SKYWAY_SHAPES_H

#include "../../common/expect.h"
#include "classes.h"
#include "skyway/units/assist.h"
#include "skyway/skyway.h"
#include "runtime/heap/heap.h"
#include "runtime/java/class.h"
#include "runtime/regions.h"
#include "units/capability.h"

#define STREAM_BYTES (64u << 10)
#define TIMES 2
#define TREE_DEPTH 7

static inline void put(hw_ref object, uint32_t at, hw_ref value) { *(hw_ref *)hw_pointer(object + at) = value; }

/* Everything here is young and does not move, so there are no barriers and no handles. */
static inline hw_handle list(uint32_t length) {
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

static inline hw_ref tree_of(uint32_t depth) {
    hw_scope scope = hw_scope_open();
    hw_ref node = hw_new(HW_CLASS_TreeNode)->reference,
           children = hw_new_array(HW_CLASS_TreeNode_array, depth ? 2 : 0)->reference;

    hw_scope_close(scope);
    put(node, HW_CLASS_TreeNode_children, children);
    for (uint32_t i = 0; depth && i < 2; i++)
        put(children, HW_OBJECT_METADATA_ARRAY_ELEMENTS + 4 * i, tree_of(depth - 1));
    return node;
}

static inline hw_handle tree(uint32_t depth) { return hw_handle_new(tree_of(depth)); }

static inline hw_handle array(uint32_t length) {
    hw_handle items = hw_new_array(HW_CLASS_Object_array, length);

    for (uint32_t i = 0; i < length; i++) {
        hw_scope scope = hw_scope_open();

        put(items->reference, HW_OBJECT_METADATA_ARRAY_ELEMENTS + 4 * i, hw_new(HW_CLASS_ListNode)->reference);
        hw_scope_close(scope);
    }
    return items;
}

static inline hw_handle values(uint32_t length) {
    hw_handle bytes = hw_new_array(HW_CLASS_byte_array, length);

    for (uint32_t i = 0; i < length; i++)
        ((uint8_t *)hw_pointer(bytes->reference + HW_OBJECT_METADATA_ARRAY_ELEMENTS))[i] = (uint8_t)(i * 7);
    return bytes;
}

static inline void least(uint32_t *found, uint32_t value) { *found = value < *found ? value : *found; }

/* Makes the heap, with all classes loaded. */
static inline void begin_heap(void) {
    const struct hw_heap_options options = {
        .base = HW_FIXED_BASE,
        .bytes = 1u << 20,
        .eden_bytes = 256u << 10,
        .survivor_bytes = 64u << 10,
        .large_bytes = 256u << 10,
    };

    hw_classes_init();
    EXPECT(hw_heap_init(&options));
    hw_skyway_drive(7, &hw_skyway_java_loader);
    EXPECT(hw_skyway_load_java_classes() == HW_STATUS_OK);
}

static inline void begin(void) {
    hw_capability_discover();
    begin_heap();
}

#endif
