/* Cases over the classes of the generated tables. */
#include "cases.h"

#include <string.h>

#include "generated/mem.h"
#include "memory.h"
#include "runtime/heap/walk.h"

_Alignas(64) uint8_t memory[CASES_MEMORY];
struct hw_skyway_memory_sink sink;
struct hw_skyway_output output;
struct hw_skyway_source source;
struct hw_skyway_input input;
static _Alignas(64) uint8_t output_work[8192], input_work[8192];

void walk(void) {
    struct hw_walk walked;

    if (!hw_heap_walk(&walked)) {
        printf("walker: %s, object %x, slot %x\n", walked.fault, walked.object, walked.slot);
        exit(3);
    }
}

void begin_heap(bool stress) {
    struct hw_heap_options options = {
        .base = MAIN_RAM_BASE + 4096u,
        .bytes = 4u << 20,
        .large_bytes = 1u << 20,
        .eden_bytes = 256u << 10,
        .stress = stress,
        .poison = true,
        .verify = hw_heap_verify,
    };

    EXPECT(hw_heap_init(&options));
}

void begin(bool stress) {
    begin_heap(stress);
    hw_classes_init();
    hw_skyway_drive(7, &hw_skyway_java_loader);
    EXPECT(hw_skyway_load_java_classes() == HW_STATUS_OK);
    EXPECT(hw_skyway_shuffle_start() == HW_STATUS_OK);
    begin_output(sizeof output_work, CASES_MEMORY);
}

void open_output(struct hw_skyway_output *stream, struct hw_skyway_memory_sink *to, uint8_t *buffer, uint32_t bytes,
                 void *work, uint32_t work_bytes) {
    hw_skyway_memory_sink(to, buffer, bytes);
    hw_skyway_output_open(stream, &to->sink, work, work_bytes, HW_SKYWAY_LAYOUT_METADATA);
}

void open_input(const uint8_t *stream, uint32_t bytes, void *work, uint32_t work_bytes) {
    hw_skyway_memory_source(&source, stream, bytes);
    hw_skyway_input_open(&input, &source, work, work_bytes, HW_SKYWAY_LAYOUT_METADATA);
}

void begin_output(uint32_t work, uint32_t bytes) { open_output(&output, &sink, memory, bytes, output_work, work); }

void begin_input(void) { open_input(memory, (uint32_t)(sink.sink.at - memory), input_work, sizeof input_work); }

/* Sends the root, receives it, and returns the copy. */
hw_handle copied(hw_handle root) {
    hw_handle copy;

    EXPECT(hw_skyway_write(&output, root) && hw_skyway_output_end(&output));
    begin_input();
    EXPECT(hw_skyway_read(&input, &copy) && copy && copy->reference != root->reference);
    return copy;
}

hw_handle list(uint32_t length) {
    hw_handle last = NULL;

    for (uint32_t i = 0; i < length; i++) {
        hw_handle next = hw_new(HW_CLASS_ListNode);

        hw_set(next, HW_CLASS_ListNode_next, last);
        last = next;
    }
    return last;
}

hw_handle lists(uint32_t count, uint32_t length) {
    hw_handle array = hw_new_array(HW_CLASS_Object_array, count);

    for (uint32_t i = 0; i < count; i++) {
        hw_scope scope = hw_scope_open();

        hw_set_element(array, i, list(length));
        hw_scope_close(scope);
    }
    return array;
}

uint32_t length_of(hw_handle handle) {
    uint32_t length = 0;

    for (hw_ref at = handle->reference; at; at = *(hw_ref *)hw_pointer(at + HW_CLASS_ListNode_next)) length++;
    return length;
}

static hw_handle text(const char *prefix, uint32_t number) {
    char name[32];
    int bytes = snprintf(name, sizeof name, "%s %u", prefix, number);

    return hw_string_from_utf8(name, (uint32_t)bytes);
}

/* A map arrives with its table as it was: it can be searched without being rebuilt, because its keys keep their
 * identity hashes. */
CASE(hash_map) {
    enum { ENTRIES = 100 };

    begin(false);
    hw_handle map = hw_new(HW_CLASS_HashMap);

    hw_hash_map_init(map, 16);
    for (uint32_t i = 0; i < ENTRIES; i++) {
        hw_scope scope = hw_scope_open();
        hw_handle key = text("key", i), value = text("value", i);

        hw_identity_hash(key);
        EXPECT(hw_hash_map_put(map, key, value));
        hw_scope_close(scope);
    }
    uint32_t hash = hw_identity_hash(map);
    uint32_t buckets = hw_array_length(*(hw_ref *)hw_pointer(map->reference + HW_CLASS_HashMap_table));
    hw_handle copy = copied(map);

    EXPECT(hw_identity_hash(copy) == hash);
    hw_ref table = *(hw_ref *)hw_pointer(copy->reference + HW_CLASS_HashMap_table);

    EXPECT(hw_array_length(table) == buckets);
    for (uint32_t i = 0; i < ENTRIES; i++) {
        hw_scope scope = hw_scope_open();
        hw_handle key = text("key", i), value = text("value", i);
        hw_ref node = hw_hash_map_find(copy, key), original = hw_hash_map_find(map, key);

        EXPECT(node && original && node != original);
        hw_handle found = hw_handle_new(*(hw_ref *)hw_pointer(node + HW_CLASS_HashMap_Node_value));
        hw_handle kept = hw_handle_new(*(hw_ref *)hw_pointer(node + HW_CLASS_HashMap_Node_key));
        hw_handle old = hw_handle_new(*(hw_ref *)hw_pointer(original + HW_CLASS_HashMap_Node_key));

        EXPECT(hw_string_equals(found, value) && hw_identity_hash(kept) == hw_identity_hash(old));
        if (i % 10 == 0) hw_collect(i % 20 == 0);
        hw_scope_close(scope);
    }
    /* The chains are where they were: the table has not been rebuilt. */
    EXPECT(*(hw_ref *)hw_pointer(copy->reference + HW_CLASS_HashMap_table) == table);
    EXPECT(!hw_hash_map_find(copy, text("key", ENTRIES)));
    /* The copy can be changed like any other map. */
    EXPECT(hw_hash_map_put(copy, text("key", ENTRIES), text("value", 0)) &&
           hw_hash_map_find(copy, text("key", ENTRIES)));
    hw_collect(false);
    EXPECT(hw_hash_map_find(copy, text("key", ENTRIES)));
    walk();
}

static uint32_t updated;

static bool stamp(hw_handle object, uint32_t offset, void *context) {
    hw_handle fresh = hw_new(HW_CLASS_ListNode); /* a safepoint */

    if (!fresh) return false;
    *(int32_t *)hw_pointer(object->reference + offset) = *(int32_t *)context;
    /* Appends a node, which is young, to the last node. */
    if (*(hw_ref *)hw_pointer(object->reference + HW_CLASS_ListNode_next) == 0)
        hw_set(object, HW_CLASS_ListNode_next, fresh);
    updated++;
    return true;
}

static bool refuse(hw_handle object, uint32_t offset, void *context) {
    (void)object;
    (void)offset;
    (void)context;
    return ++updated < 3;
}

/* registerUpdate: the function is called once for each object of the class, before the root is read. If it fails,
 * nothing of the buffer remains. */
CASE(updates) {
    static int32_t value = 4711;
    hw_handle copy;

    for (int stress = 0; stress < 2; stress++) {
        begin(stress);
        updated = 0;
        EXPECT(hw_skyway_register_update(HW_CLASS_ListNode, HW_CLASS_ListNode_value, stamp, &value));
        copy = copied(list(5));
        EXPECT(updated == 5 && length_of(copy) == 6);
        hw_collect(false);
        hw_collect(true);
        EXPECT(*(int32_t *)hw_pointer(copy->reference + HW_CLASS_ListNode_value) == value && length_of(copy) == 6);
        hw_skyway_forget_updates();
    }
    hw_handles_drop(hw_thread);
    hw_skyway_free(input.buffer);
    hw_collect(true);
    uint32_t used = hw_heap_used();

    updated = 0;
    EXPECT(hw_skyway_register_update(HW_CLASS_ListNode, 0, refuse, NULL));
    begin_output(sizeof output_work, CASES_MEMORY);
    EXPECT(hw_skyway_write(&output, list(5)) && hw_skyway_output_end(&output));
    begin_input();
    EXPECT(!hw_skyway_read(&input, &copy) && input.status == HW_SKYWAY_UPDATE_FAILED &&
           input.at == 16 + 2 * NODE_BYTES && updated == 3);
    hw_skyway_forget_updates();
    hw_handles_drop(hw_thread);
    hw_collect(true);
    EXPECT(hw_heap_used() == used);
}

/* A buffer stays alive until it is freed. After that, objects that are referred to stay alive, with all that they
 * reach. */
CASE(freeing) {
    begin(false);
    hw_collect(true);
    uint32_t empty = hw_heap_used();
    hw_handle root = list(100);
    hw_handle copy = copied(root);
    hw_ref reference = copy->reference, tail = reference;

    for (int i = 0; i < 90; i++) tail = *(hw_ref *)hw_pointer(tail + HW_CLASS_ListNode_next);
    hw_handles_drop(hw_thread);
    hw_collect(true);
    hw_collect(false);
    EXPECT(hw_heap_used() >= empty + 100 * NODE_BYTES);
    copy = hw_handle_new(reference); /* nothing referred to it, and it is still there */
    EXPECT(length_of(copy) == 100);
    hw_handles_drop(hw_thread);

    hw_handle kept = hw_handle_new(tail);

    hw_skyway_free(input.buffer);
    hw_collect(true);
    EXPECT(length_of(kept) == 10 && kept->reference == tail);
    walk();
    hw_handles_drop(hw_thread);
    hw_collect(true);
    EXPECT(hw_heap_used() == empty);
}

/* A program may store references to young objects in objects of an input buffer: the barrier suffices. */
CASE(cards) {
    begin(false);
    hw_handle copy = copied(list(1));

    hw_collect(false);
    hw_set(copy, HW_CLASS_ListNode_next, list(3));
    hw_handles_drop(hw_thread);
    for (int i = 0; i < 8; i++) {
        hw_collect(i == 6);
        walk();
    }
    hw_handle_new(input.tops[-1]);
    EXPECT(length_of((hw_handle)&hw_thread->slots[0]) == 4);
}

CASE(handles_run_out) {
    hw_handle copy;

    begin(false);
    EXPECT(hw_skyway_write(&output, list(4)) && hw_skyway_write(&output, list(5)) && hw_skyway_output_end(&output));
    begin_input();
    /* The buffer is there when the table of handles takes the rest of the large space. */
    EXPECT(hw_skyway_read(&input, &copy));
    while (hw_handle_room()) hw_handle_new(0);
    EXPECT(!hw_skyway_read(&input, &copy) && input.status == HW_STATUS_NO_HANDLE);
    hw_handles_drop(hw_thread);
    EXPECT(hw_skyway_read(&input, &copy) && length_of(copy) == 5);
    EXPECT(!hw_skyway_read(&input, &copy) && input.status == HW_SKYWAY_END);
}

int main(int argc, char **argv) {
    memory_map();
    return run_case(argc, argv);
}
