/* The cost of the heap itself: allocation, the barrier, pauses by size. */
#include <stdio.h>
#include <string.h>

#include "programs/bench/heap.h"
#include "runtime/heap/card.h"
#include "runtime/registers.h"

#define ENGINE "runtime"
#define WARM 5
#define MB (1u << 20)

/* 16 bytes: the smallest object with a field. */
static const struct hw_klass small = {.object_size = 16, .kind = HW_KLASS_KIND_INSTANCE, .id = 60};
/* A node of a list: the next node, and contents. */
static const struct hw_klass node = {
    .object_size = 32, .kind = HW_KLASS_KIND_INSTANCE, .id = 61, .reference_bitmap = 1};

#define IN_A_BUFFER 100u
#define IN_MANY 1000u

/* The inlined fast path. The class is a constant, as for HW_CLASS_*. */
static __attribute__((noinline)) void allocate(uint32_t count) {
    for (uint32_t i = 0; i < count; i++) hw_allocate(&small);
}

/* As a user does it: with a handle in a scope. */
static __attribute__((noinline)) void allocate_with_handle(uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        hw_scope scope = hw_scope_open();

        hw_new(&small);
        hw_scope_close(scope);
    }
}

/* The class is read from memory, like that of a runtime register. */
static __attribute__((noinline)) void allocate_any(const struct hw_klass *const volatile *klass, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        hw_scope scope = hw_scope_open();

        hw_new(*klass);
        hw_scope_close(scope);
    }
}

static void row(const char *name, const char *operation, const struct timing *timing, uint32_t count, uint32_t bytes) {
    heap_row((struct row){
        .name = name,
        .operation = operation,
        .engine = ENGINE,
        .cycles = (timing->cycles + count - 1) / count,
        .cold_cycles = timing->cold_cycles / count,
        .instructions = timing->instructions / count,
        .object_bytes = bytes,
        .ok = hw_error_clear() == HW_STATUS_OK,
    });
}

static void allocation(void) {
    struct timing timing;

    /* One buffer for all objects. The first allocation opens it. */
    heap_begin((struct hw_heap_options){.bytes = 4 * MB, .eden_bytes = MB, .buffer_bytes = 64u << 10});
    hw_allocate(&small);
    TIME(&timing, WARM, allocate(IN_A_BUFFER));
    row("object_16", "allocate", &timing, IN_A_BUFFER, 16);
    TIME(&timing, WARM, allocate_with_handle(IN_A_BUFFER));
    row("object_16_handle", "allocate", &timing, IN_A_BUFFER, 16);
    const struct hw_klass *const volatile klass = &small;
    TIME(&timing, WARM, allocate_any(&klass, IN_A_BUFFER));
    row("object_16_any_class", "allocate", &timing, IN_A_BUFFER, 16);
    heap_begin((struct hw_heap_options){.bytes = 4 * MB, .eden_bytes = MB});
    TIME(&timing, WARM, allocate(IN_MANY));
    row("object_16_and_refills", "allocate", &timing, IN_MANY, 16);
    TIME(&timing, WARM, allocate_with_handle(IN_MANY));
    row("object_16_handle_and_refills", "allocate", &timing, IN_MANY, 16);
}

#define SLOTS 256u

static __attribute__((noinline)) void store_plain(hw_ref *slots, hw_ref value) {
    for (uint32_t i = 0; i < SLOTS; i++) ((volatile hw_ref *)slots)[i] = value;
}

static __attribute__((noinline)) void store_with_barrier(hw_ref *slots, hw_ref value) {
    for (uint32_t i = 0; i < SLOTS; i++) hw_write((hw_ref *)&((volatile hw_ref *)slots)[i], value);
}

static void barrier(void) {
    struct timing plain, marked;
    hw_scope scope = hw_scope_open();
    hw_handle array = hw_new_array(hw_pointer(hw_registers[HW_REG_KLASS_OBJECT_ARRAY]), SLOTS);

    hw_collect(true); /* afterwards it is old */
    hw_ref *slots = (hw_ref *)hw_array_bytes(array->reference), value = array->reference;

    TIME(&plain, WARM, store_plain(slots, value));
    TIME(&marked, WARM, store_with_barrier(slots, value));
    row("plain", "store", &plain, SLOTS, 0);
    row("with_barrier", "store", &marked, SLOTS, 0);
    marked.cycles -= plain.cycles < marked.cycles ? plain.cycles : marked.cycles;
    marked.instructions -= plain.instructions;
    marked.cold_cycles = 0;
    row("barrier", "store", &marked, SLOTS, 0);
    hw_scope_close(scope);
}

/* Builds a list of `bytes` bytes with as much garbage between its nodes. */
static hw_handle build_list(uint32_t bytes) {
    hw_handle head = hw_new(&node);

    for (uint32_t built = node.object_size; built < bytes; built += node.object_size) {
        hw_allocate(&node);
        hw_ref next = hw_allocate(&node);

        hw_write(hw_pointer(next + HW_OBJECT_HEADER_SIZE), head->reference);
        *(uint32_t *)hw_pointer(next + HW_OBJECT_HEADER_SIZE + 4) = built;
        head->reference = next;
    }
    return head;
}

static bool list_is(hw_ref at, uint32_t bytes) {
    for (uint32_t left = bytes - node.object_size; left; left -= node.object_size) {
        if (hw_klass_of(hw_pointer(at)) != &node || *(uint32_t *)hw_pointer(at + HW_OBJECT_HEADER_SIZE + 4) != left)
            return false;
        at = *(hw_ref *)hw_pointer(at + HW_OBJECT_HEADER_SIZE);
    }
    return *(hw_ref *)hw_pointer(at + HW_OBJECT_HEADER_SIZE) == 0;
}

#define ARRAY 1024u /* bytes of an array of bytes, with its header */

/* Builds `bytes` bytes of arrays of bytes, to which an array of references leads. */
static hw_handle build_arrays(uint32_t bytes) {
    const struct hw_klass *of_bytes = hw_pointer(hw_registers[HW_REG_KLASS_BYTE_ARRAY]);
    hw_handle all = hw_new_array(hw_pointer(hw_registers[HW_REG_KLASS_OBJECT_ARRAY]), bytes / ARRAY);

    for (uint32_t i = 0; i < bytes / ARRAY; i++) {
        hw_scope scope = hw_scope_open();
        hw_handle array = hw_new_array(of_bytes, ARRAY - hw_klass_elements(of_bytes));

        memset((void *)hw_array_bytes(array->reference), (int)i, 16);
        hw_set_element(all, i, array);
        hw_scope_close(scope);
    }
    return all;
}

static bool arrays_are(hw_ref all, uint32_t bytes) {
    const hw_ref *elements = (const hw_ref *)hw_array_bytes(all);

    for (uint32_t i = 0; i < bytes / ARRAY; i++)
        for (uint32_t k = 0; k < 17; k++)
            if (((const uint8_t *)hw_array_bytes(elements[i]))[k] != (k < 16 ? (uint8_t)i : 0)) return false;
    return true;
}

static void pause(uint32_t bytes, bool full, bool arrays, bool software_only) {
    char name[32];

    heap_begin((struct hw_heap_options){
        .bytes = 3 * MB, .eden_bytes = MB, .survivor_bytes = 288u << 10, .tenure = 15, .software_only = software_only});
    hw_scope scope = hw_scope_open();
    hw_handle root = arrays ? build_arrays(bytes) : build_list(bytes);
    bool untouched = hw_heap_statistics.young_collections == 0 && hw_heap_statistics.full_collections == 0;

    hw_collect(full);
    bool as_asked = hw_heap_statistics.young_collections == !full && hw_heap_statistics.full_collections == full;

    snprintf(name, sizeof name, "%s_pause/%lu", arrays ? "arrays" : full ? "full" : "young", (unsigned long)bytes);
    heap_row((struct row){
        .name = name,
        .operation = full ? "full collection" : "young collection",
        .engine = software_only ? "software-gc" : ENGINE,
        .cycles = full ? hw_heap_statistics.longest_full : hw_heap_statistics.longest_young,
        .object_bytes = bytes,
        .collections = 1,
        .ok = untouched && as_asked && (arrays ? arrays_are : list_is)(root->reference, bytes),
    });
    hw_scope_close(scope);
}

void heap_own(void) {
    allocation();
    barrier();
    for (int software = 0; software < 2; software++) {
        for (uint32_t bytes = 1024; bytes <= 256u << 10; bytes *= 4) pause(bytes, false, false, software);
        for (uint32_t bytes = 16u << 10; bytes <= 256u << 10; bytes *= 4) pause(bytes, false, true, software);
    }
    for (uint32_t bytes = 4096; bytes <= 256u << 10; bytes *= 2) pause(bytes, true, false, false);
}
