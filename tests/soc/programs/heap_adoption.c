/* The papers' adoption test: the unit builds far more than the heap holds, while a set of messages stays alive and
 * turns over. Each message is verified field by field long after it was built: by its digest, and by `equals` with what
 * the codec builds from the same bytes outside the heap. Parameters: HW_ADOPT_*, stress, bytes of the heap,
 * multiple of these bytes to build, messages kept. */
#include "protobuf/codec/codec.h"
#include "everything.heapwire.h"
#include "heap.h"
#include "platform/finish.h"
#include "runtime/regions.h"
#include "runtime/registers.h"
#include "units/capability.h"

#define MAX_KEPT 64

static uint8_t cases[MAX_KEPT];
static hw_ref originals[HEAP_CASES];
static uint32_t equal, differ;

/* Builds every message once more, in memory that no collection knows. */
static void build_originals(void) {
    struct hw_arenas arenas;

    hw_arena_init(&arenas.fixed, HW_FLEXIBLE_BASE, HW_FLEXIBLE_BYTES / 2);
    hw_arena_init(&arenas.flexible, HW_FLEXIBLE_BASE + HW_FLEXIBLE_BYTES / 2, HW_FLEXIBLE_BYTES / 2);
    for (uint32_t i = 0; i < heap_case_count; i++) {
        uint32_t length;
        const void *input = heap_case_input(i, &length);
        struct hw_protobuf_codec_object result = hw_protobuf_codec_read(heap_case_type(i), input, length, 0, &arenas);

        EXPECT(result.status == HW_STATUS_OK);
        originals[i] = result.root;
    }
}

static test_Everything original(uint32_t index) { return test_Everything_from(hw_handle_new(originals[index])); }

/* Checks that the object equals case `index`. Counts whether it differs from the next case; equal cases do not. */
static void check_equals(hw_handle object, uint32_t index) {
    test_Everything message = test_Everything_from(object);
    uint32_t other = (index + 1) % heap_case_count;

    EXPECT(message.handle && test_Everything_equals(message, original(index)));
    equal++;
    if (!test_Everything_equals(message, original(other))) differ++;
}

static uint32_t unit_written(void) {
    return hw_unit_counter(hw_unit_kind(HW_CAPABLE_PROTOBUF_DESERIALIZE), HW_COUNTER_WRITE_BYTES);
}

int main(void) {
    struct hw_heap_options options = {
        .base = HW_FIXED_BASE,
        .bytes = heap_parameter(2),
        .eden_bytes = heap_parameter(2) / 6,
        .region_bytes = 4096,
        .large_bytes = 16u << 10,
        .buffer_bytes = 512,
        .unit_bytes = 1024,
        .tenure = 2,
        .poison = true,
        .verify = hw_heap_verify,
    };
    struct hw_protobuf context;
    const uint32_t wanted = heap_parameter(2) * heap_parameter(3), count = heap_parameter(4);
    uint32_t dice = 1, built = 0, messages = 0, moved = 0, checked = 0;

    heap_open();
    build_originals(); /* while the singleton is still outside the heap */
    options.stress = heap_parameter(1);
    heap_start(&options, (enum hw_adoption)heap_parameter(0));
    hw_protobuf_open_heap(&context);
    EXPECT(context.read_by_unit);

    hw_ref singleton = hw_registers[HW_REG_UNKNOWN_FIELDS];
    hw_handle kept = hw_new_array(hw_pointer(hw_registers[HW_REG_KLASS_OBJECT_ARRAY]), count);
    hw_handle global = hw_global_new(kept);

    EXPECT(kept && global && count <= MAX_KEPT);
    for (uint32_t turn = 0; built < wanted; turn++) {
        hw_scope scope = hw_scope_open();
        uint32_t slot = heap_draw(&dice, count), index = heap_draw(&dice, heap_case_count), length,
                 before = unit_written();
        const void *input = heap_case_input(index, &length);
        hw_handle message, old = hw_get_element(kept, slot);

        if (old) { /* the message that is replaced was built some `count` messages ago */
            EXPECT(heap_is_case(old, cases[slot]));
            check_equals(old, cases[slot]);
            checked++;
        }
        EXPECT(hw_protobuf_read(&context, heap_case_type(index), input, length, &message));
        hw_set_element(kept, slot, message);
        cases[slot] = (uint8_t)index;
        built += unit_written() - before;
        messages++;
        if (hw_registers[HW_REG_UNKNOWN_FIELDS] != singleton) {
            singleton = hw_registers[HW_REG_UNKNOWN_FIELDS];
            moved++;
        }
        hw_scope_close(scope);
    }
    hw_collect(true);
    EXPECT(global->reference == kept->reference);
    for (uint32_t slot = 0; slot < count; slot++) {
        hw_scope scope = hw_scope_open();
        hw_handle message = hw_get_element(kept, slot);

        if (message) {
            EXPECT(heap_is_case(message, cases[slot]));
            check_equals(message, cases[slot]);
        }
        hw_scope_close(scope);
    }
    heap_check_walk();
    EXPECT(hw_error_clear() == HW_STATUS_OK && context.fallbacks == 0);
    printf(
        "messages %lu checked %lu equal %lu differ %lu built %lu young %lu full %lu promoted %lu reloaded %lu restarts "
        "%lu\n",
        (unsigned long)messages, (unsigned long)checked, (unsigned long)equal, (unsigned long)differ,
        (unsigned long)built, (unsigned long)hw_heap_statistics.young_collections,
        (unsigned long)hw_heap_statistics.full_collections, (unsigned long)hw_heap_statistics.promoted_bytes,
        (unsigned long)moved, (unsigned long)hw_heap_statistics.restarts);
    return 0;
}
